import { useState } from 'react'
import { errorMessage } from '../api/client'
import type { FileItem } from '../api/generated'
import type { Attachments } from './attachments'

export type AttachState = 'busy' | 'attached' | undefined

/** Attaches files that the server fetches itself. `states`: of each by its key; `error`: of the last one that failed. */
export function useAttach(attachments: Attachments) {
  const [states, setStates] = useState<Record<string, AttachState>>({})
  const [error, setError] = useState('')
  const attach = async (key: string, name: string, fetch: () => Promise<FileItem>) => {
    if (states[key]) return
    const setState = (state: AttachState) => setStates((all) => ({ ...all, [key]: state }))
    setError('')
    setState('busy')
    try {
      attachments.restore([(await fetch()).id])
      setState('attached')
    } catch (problem) {
      setError(`${name}: ${errorMessage(problem)}`)
      setState(undefined)
    }
  }
  return { states, error, attach }
}
