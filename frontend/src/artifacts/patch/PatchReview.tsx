// Changing only a selected part of a document: the button at the selection, the request, and the review of the proposal.
import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { acceptChunk, getChunks, rejectChunk, unifiedMergeView } from '@codemirror/merge'
import { Compartment } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { EditSession } from '../editing/editSession'
import { loadLanguage } from '../editor/languages'
import type { TextRange } from '../editor/selectionButton'
import { baseExtensions, readOnly } from '../editor/setup'

/** The text of version `base` before and after the proposed change, which is between `start` and `end`. */
export type Proposal = TextRange & { readonly base: number; readonly before: string; readonly after: string }
type Props = { proposal: Proposal; language: string | undefined; editing: EditSession; onClose(): void }

const FOLDED = { margin: 3, minSize: 6 }

function control(type: 'accept' | 'reject', action: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn'
  button.textContent = type === 'accept' ? t`Accept` : t`Reject`
  button.addEventListener('mousedown', action)
  button.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }))
  })
  return button
}

const undecidedChunks = (view: EditorView): number => getChunks(view.state)?.chunks.length ?? 0

function decideAll(view: EditorView, decide: (view: EditorView, position?: number) => boolean): void {
  for (let left = undecidedChunks(view); left > 0; left = undecidedChunks(view)) {
    const [chunk] = getChunks(view.state)!.chunks
    if (!chunk || !decide(view, chunk.fromB)) return
  }
}

/** Lets the member accept or reject each change of a proposal. The accepted ones are saved after the last decision. */
export function PatchReview({ proposal, language, editing, onClose }: Props) {
  const { t } = useLingui()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const [left, setLeft] = useState<number | null>(null)
  const label = t`Proposed change`
  useEffect(() => {
    if (!host.current) return undefined
    const grammar = new Compartment()
    const changes = unifiedMergeView({ original: proposal.before, mergeControls: control, collapseUnchanged: FOLDED, allowInlineDiffs: false })
    const count = EditorView.updateListener.of(({ view: updated }) => setLeft(undecidedChunks(updated)))
    const created = new EditorView({
      parent: host.current,
      doc: proposal.after,
      extensions: [baseExtensions(label), readOnly(true), grammar.of([]), changes, count],
    })
    view.current = created
    setLeft(undecidedChunks(created))
    void loadLanguage(language).then((extension) => view.current === created && created.dispatch({ effects: grammar.reconfigure(extension) }))
    return () => {
      view.current = null
      created.destroy()
    }
  }, [proposal, language, label])
  useEffect(() => {
    if (left !== 0 || !view.current) return
    const { base, before, start, end } = proposal
    const text = view.current.state.doc.toString()
    if (text !== before) void editing.patch(base, text, start, end)
    onClose()
  }, [left, proposal, editing, onClose])
  const undecided = left ?? 0
  const all = (decide: typeof acceptChunk) => () => view.current && decideAll(view.current, decide)
  return (
    <section aria-label={label} className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-10 shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-3 py-1 text-[12.5px] text-fg2">
        <span role="status"><Plural value={undecided} one="# change to review" other="# changes to review" /></span>
        <span className="ms-auto" />
        <button type="button" className="btn" onClick={all(acceptChunk)}>
          <Trans>Accept all</Trans>
        </button>
        <button type="button" className="btn" onClick={all(rejectChunk)}>
          <Trans>Reject all</Trans>
        </button>
      </header>
      <div ref={host} className="min-h-0 flex-1" />
    </section>
  )
}
