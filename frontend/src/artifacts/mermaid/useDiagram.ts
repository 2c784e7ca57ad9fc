import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Drawing, DiagramError, Theme } from '../../sandbox/mermaid/messages'
import { createLiveDiagram } from './liveDiagram'
import { drawDiagram, type DrawResult } from './renderer'

/** `drawing`: the last good picture, perhaps of an older text. `fault`: the error of the current text, once that is complete. */
export type Diagram = { readonly drawing: Drawing | null; readonly fault: DiagramError | null }

const pageTheme = (): Theme => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light')

function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

export function useDiagram(code: string, streaming: boolean): Diagram {
  const theme = useSyncExternalStore(watchTheme, pageTheme)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [failed, setFailed] = useState<{ code: string; fault: DiagramError } | null>(null)
  const live = useRef<ReturnType<typeof createLiveDiagram>>(undefined)
  useEffect(() => {
    const show = (result: DrawResult, of: string) => {
      if (result.ok) setDrawing(result.drawing)
      setFailed(result.ok ? null : { code: of, fault: result.fault })
    }
    live.current = createLiveDiagram(drawDiagram, show)
    return () => live.current?.stop()
  }, [])
  useEffect(() => {
    if (code.trim()) live.current?.want({ code, theme, streaming })
  }, [code, theme, streaming])
  return { drawing, fault: !streaming && failed?.code === code ? failed.fault : null }
}

/** An object URL of the picture. It is valid until the next picture. */
export function useObjectUrl(svg: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (svg === undefined) return undefined
    const next = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
    setUrl(next)
    return () => URL.revokeObjectURL(next)
  }, [svg])
  return url
}
