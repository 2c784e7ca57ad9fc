import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'

let drawFormula: typeof import('./formula').drawFormula | undefined
const loadKatex = async (): Promise<void> => {
  const [module] = await Promise.all([import('./formula'), import('katex/dist/katex.min.css')])
  drawFormula = module.drawFormula
}

/** Whether KaTeX is loaded. The first formula of a page loads it. */
function useKatex(): boolean {
  const [ready, setReady] = useState(drawFormula !== undefined)
  useEffect(() => {
    let mounted = true
    if (!ready) void loadKatex().then(() => mounted && setReady(true))
    return () => {
      mounted = false
    }
  }, [ready])
  return ready
}

const options = (displayMode: boolean) =>
  ({ displayMode, throwOnError: false, trust: false, strict: 'ignore', maxExpand: 200, maxSize: 20, output: 'htmlAndMathml' }) as const

export const MathView = memo(function MathView({ tex, closed, display = false }: { tex: string; closed: boolean; display?: boolean }) {
  const { t } = useLingui()
  const host = useRef<HTMLSpanElement>(null)
  const drawn = useKatex() && closed
  useLayoutEffect(() => {
    if (drawn && host.current) drawFormula?.(host.current, tex, options(display))
  }, [drawn, tex, display])
  const region = display ? { tabIndex: 0, role: 'group', 'aria-label': t`Formula` } : {}
  return (
    <span key={drawn ? 'drawn' : 'typed'} ref={host} className={display ? 'math-block' : 'math'} {...region}>
      {drawn ? null : tex}
    </span>
  )
})
