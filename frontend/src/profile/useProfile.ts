import { useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import type { Profile } from '../api/generated'
import { profileApi } from './profileApi'

/** The profile from the server; undefined while it loads. */
export function useProfile() {
  const [profile, setProfile] = useState<Profile>()
  const [error, setError] = useState('')
  useEffect(() => {
    profileApi.get().then(setProfile, (problem: unknown) => setError(errorMessage(problem)))
  }, [])
  return { profile, setProfile, error }
}
