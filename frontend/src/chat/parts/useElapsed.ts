import { useEffect, useState } from 'react'

const TICK_MS = 100

/** Milliseconds since `running` began, as this page saw it; undefined when it never saw it run. */
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
