import { useState } from 'react'
import { keysApi } from './keysApi'

const NONE: ReadonlySet<string> = new Set()

/** The providers without any key to which the user may give one, as of the last `load`. A list that can't be read is empty: the menu works without it. */
export function useMissingKeys(): { missing: ReadonlySet<string>; load(): void } {
  const [missing, setMissing] = useState(NONE)
  const load = () => {
    keysApi.list().then(
      ({ allowed, keys }) => setMissing(new Set(allowed ? keys.filter(({ source }) => !source).map(({ provider }) => provider) : [])),
      () => setMissing(NONE),
    )
  }
  return { missing, load }
}
