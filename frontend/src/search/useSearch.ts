import { useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import type { SearchPage } from '../api/generated'
import { isAsked, type SearchFilters } from './filters'
import { searchApi } from './searchApi'

/** The server is asked this long after the last key. */
const PAUSE_MS = 80
/** From then on, a wait is shown. */
const SLOW_MS = 400

/** `query` and `filters`: what the page answers. */
type SearchAnswer = { readonly page: SearchPage; readonly query: string; readonly filters: SearchFilters }
export type Search = {
  /** The newest results; those of an earlier query until the new ones are there. */
  readonly answer: SearchAnswer | undefined
  readonly slow: boolean
  readonly error: string
}

export const answers = ({ answer }: Search, query: string, filters: SearchFilters): boolean => answer?.query === query && answer.filters === filters

const NOTHING: Search = { answer: undefined, slow: false, error: '' }

/** Searches while the user types. Nothing is asked without words and filters. `attempt`: another number asks again. */
export function useSearch(query: string, filters: SearchFilters, attempt: number): Search {
  const [search, setSearch] = useState(NOTHING)
  useEffect(() => {
    if (!isAsked(query, filters)) {
      setSearch(NOTHING)
      return undefined
    }
    let isStale = false
    let slow: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      slow = setTimeout(() => setSearch((before) => ({ ...before, slow: true })), SLOW_MS)
      searchApi
        .search(query, filters)
        .then(
          (page) => !isStale && setSearch({ answer: { page, query, filters }, slow: false, error: '' }),
          (problem: unknown) => !isStale && setSearch({ answer: undefined, slow: false, error: errorMessage(problem) }),
        )
        .finally(() => clearTimeout(slow))
    }
    const pause = setTimeout(ask, PAUSE_MS)
    return () => {
      isStale = true
      clearTimeout(pause)
      clearTimeout(slow)
    }
  }, [query, filters, attempt])
  return search
}
