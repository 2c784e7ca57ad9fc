// What the member may still send and spend, said when little is left.
import { useEffect, useState } from 'react'
import { request } from '../api/client'
import type { Limits } from '../api/generated'
import { limitWarning } from './limitWarning'
import { budgetWarning } from './budgetWarning'

const NONE: Limits = { limits: [], budgets: [] }

/** Asks when the member begins to write, and returns what to say about the limits and budgets, or null. */
export function useWhatIsLeft(isWriting: boolean): string | null {
  const [found, setFound] = useState(NONE)
  useEffect(() => {
    if (!isWriting) return
    let isCurrent = true
    request<Limits>('GET', 'limits/')
      .then((answer) => isCurrent && setFound(answer))
      .catch(() => isCurrent && setFound(NONE)) // the send itself says what stands in its way
    return () => {
      isCurrent = false
    }
  }, [isWriting])
  return isWriting ? (budgetWarning(found.budgets) ?? limitWarning(found.limits)) : null
}
