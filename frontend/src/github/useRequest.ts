import { useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../api/client'
import { isAboutKeys } from '../keys/KeyActions'

export type LoadState<T> = { readonly value: T | undefined; readonly error: string; /** The user has to enter a token first. */ readonly wantsToken: boolean; retry(): void }
type Answer<T> = { readonly of: string; readonly value?: T; readonly error?: string; readonly wantsToken?: boolean }

/** The result of `load` for `key`. Results for earlier keys are dropped. */
export function useRequest<T>(key: string, load: () => Promise<T>): LoadState<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ of: '' })
  const [turn, setTurn] = useState(0)
  const requestKey = `${turn} ${key}`
  useEffect(() => {
    let isCurrent = true
    load().then(
      (value) => isCurrent && setAnswer({ of: requestKey, value }),
      (problem: unknown) => isCurrent && setAnswer({ of: requestKey, error: errorMessage(problem), wantsToken: problem instanceof ApiError && isAboutKeys(problem.code) }),
    )
    return () => {
      isCurrent = false
    }
  }, [requestKey])
  const current = answer.of === requestKey ? answer : { of: requestKey }
  return { value: current.value, error: current.error ?? '', wantsToken: current.wantsToken ?? false, retry: () => setTurn(turn + 1) }
}

/** `value` after it has not changed for a moment. */
export function useDebounced(value: string, restMs = 300): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return debounced
}
