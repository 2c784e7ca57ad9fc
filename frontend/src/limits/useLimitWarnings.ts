// What the member may still send and spend, said when little is left.
import { useEffect, useState } from 'react'
import { request } from '../api/client'
import type { Limits } from '../api/generated'
import { budgetWarning, type BudgetWarning } from './budgetWarning'
import { limitWarning } from './limitWarning'

const NONE: Limits = { limits: [], budgets: [] }

/** Either is null while there is nothing to say. */
export type LimitWarnings = { readonly budget: BudgetWarning | null; readonly limit: string | null }

/** Asks when the member begins to write, and returns what to say about the budgets and limits. */
export function useLimitWarnings(isWriting: boolean): LimitWarnings {
  const [limits, setLimits] = useState(NONE)
  useEffect(() => {
    if (!isWriting) return
    let isCurrent = true
    request<Limits>('GET', 'limits/')
      .then((answer) => isCurrent && setLimits(answer))
      .catch(() => isCurrent && setLimits(NONE)) // the send itself says what stands in its way
    return () => {
      isCurrent = false
    }
  }, [isWriting])
  if (!isWriting) return { budget: null, limit: null }
  const [budget, limit] = [budgetWarning(limits.budgets), limitWarning(limits.limits)]
  return { budget: limit && !budget?.urgent ? null : budget, limit } // a quarter of a budget can wait, a limit can not
}
