import { useEffect, useState } from 'react'

const TICK_MS = 100

/** Milliseconds since `running` became true in this page. Undefined if it never did. */
export function useElapsed(running: boolean): number | undefined {
  const [elapsed, setElapsed] = useState<number>()
  useEffect(() => {
    if (!running) return undefined
    const start = performance.now()
    const timer = setInterval(() => setElapsed(performance.now() - start), TICK_MS)
    return () => clearInterval(timer)
  }, [running])
  return elapsed
}
