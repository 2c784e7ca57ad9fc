// The comparison of two texts.
import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { Compartment, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { loadLanguage } from '../editor/languages'
import { baseExtensions, readOnly } from '../editor/setup'

type Props = { before: string; after: string; beforeLabel: string; afterLabel: string; language: string | undefined }

/** From this width on, the two texts are shown side by side. */
const WIDE_PX = 760
const FOLDED = { margin: 3, minSize: 6 }
const LIMITS = { scanLimit: 1000, timeout: 300 }

function useIsWide(host: React.RefObject<HTMLElement | null>): boolean {
  const [wide, setWide] = useState(false)
  useEffect(() => {
    if (!host.current) return undefined
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE_PX))
    observer.observe(host.current)
    return () => observer.disconnect()
  }, [host])
  return wide
}

type ComparisonView = { readonly editors: readonly EditorView[]; destroy(): void }

function sideBySide(parent: HTMLElement, { before, after, beforeLabel, afterLabel }: Props, common: Extension): ComparisonView {
  const view = new MergeView({
    a: { doc: before, extensions: [baseExtensions(beforeLabel), common] },
    b: { doc: after, extensions: [baseExtensions(afterLabel), common] },
    parent,
    collapseUnchanged: FOLDED,
    diffConfig: LIMITS,
  })
  return { editors: [view.a, view.b], destroy: () => view.destroy() }
}

function unified(parent: HTMLElement, { before, after, afterLabel, beforeLabel }: Props, common: Extension): ComparisonView {
  const changes = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: FOLDED, diffConfig: LIMITS })
  const label = t`${afterLabel}, with its changes to ${beforeLabel}`
  const view = new EditorView({ parent, doc: after, extensions: [baseExtensions(label), common, changes] })
  return { editors: [view], destroy: () => view.destroy() }
}

/** Shows what changed from one text to another. */
export function Comparison(props: Props) {
  const host = useRef<HTMLDivElement>(null)
  const wide = useIsWide(host)
  const { before, after, beforeLabel, afterLabel, language } = props
  useEffect(() => {
    if (!host.current) return undefined
    const grammar = new Compartment()
    const common = [readOnly(true), grammar.of([])]
    const comparison = (wide ? sideBySide : unified)(host.current, { before, after, beforeLabel, afterLabel, language }, common)
    let isUnmounted = false
    void loadLanguage(language).then((extension) => !isUnmounted && comparison.editors.forEach((editor) => editor.dispatch({ effects: grammar.reconfigure(extension) })))
    return () => {
      isUnmounted = true
      comparison.destroy()
    }
  }, [wide, before, after, beforeLabel, afterLabel, language])
  return <div ref={host} className="h-full min-h-0 overflow-auto" />
}
