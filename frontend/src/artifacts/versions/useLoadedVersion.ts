import { useCallback, useEffect, useState } from 'react'
import { loadVersion } from '../store'

/** Loads a version's text while it is `missing`. Returns what tries again after that failed; the network's return tries, too. */
export function useLoadedVersion(id: string, number: number | null, missing: boolean): (() => void) | null {
  const key = `${id} ${number}`
  const [failed, setFailed] = useState('')
  const load = useCallback(() => {
    if (number === null) return
    setFailed('')
    void loadVersion(id, number).then((isLoaded) => isLoaded || setFailed(key))
  }, [id, number, key])
  useEffect(() => {
    if (missing) load()
  }, [missing, load])
  const hasFailed = missing && failed === key
  useEffect(() => {
    if (!hasFailed) return undefined
    addEventListener('online', load)
    return () => removeEventListener('online', load)
  }, [hasFailed, load])
  return hasFailed ? load : null
}
