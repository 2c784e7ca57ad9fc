import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'

type Katex = typeof import('katex').default

let katex: Katex | undefined
const loadKatex = async (): Promise<void> => {
  const [module] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')])
  katex = module.default
}

/** Whether KaTeX is loaded. The first formula of a page loads it. */
function useKatex(): boolean {
  const [ready, setReady] = useState(katex !== undefined)
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

/** `katex.render` builds nodes and sets styles through CSSOM, which a strict `style-src` allows. An HTML string would lose its layout. */
export const MathView = memo(function MathView({ tex, closed, display = false }: { tex: string; closed: boolean; display?: boolean }) {
  const host = useRef<HTMLSpanElement>(null)
  const drawn = useKatex() && closed
  useLayoutEffect(() => {
    if (drawn && host.current) katex?.render(tex, host.current, options(display))
  }, [drawn, tex, display])
  const region = display ? { tabIndex: 0, role: 'region', 'aria-label': 'Formula' } : {}
  return (
    <span key={drawn ? 'drawn' : 'typed'} ref={host} className={display ? 'math-block' : 'math'} {...region}>
      {drawn ? null : tex}
    </span>
  )
})
