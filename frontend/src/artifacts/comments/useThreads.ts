import { useEffect, useMemo, useState } from 'react'
import { t } from '@lingui/core/macro'
import type { EditorState, Plugin } from 'prosemirror-state'
import { ApiError } from '../../api/client'
import { randomUuid } from '../../browser/uuid'
import { sharingApi } from '../../sharing/sharingApi'
import type { ArtifactEntry } from '../entries'
import type { RichEditor } from '../rich/useRichEditor'
import { anchorOf } from './anchors'
import { commentMarks, showMarks } from './marks'
import { isResolved, shownThreads, type Draft, type Thread } from './threads'
import { readUnsentComments, writeUnsentComments, type Unsent } from './unsentComments'
import { useComments } from './useComments'
import { useLostReplies } from './useLostReplies'

export type Threads = Unsent & {
  /** Those that are shown. */
  readonly threads: readonly Thread[]
  readonly open: number
  readonly resolved: number
  readonly showsResolved: boolean
  toggleResolved(): void
  /** New comments that are written, each about its own passage. */
  readonly drafts: readonly Draft[]
  /** The id of a thread or of a draft. */
  readonly active: string | null
  /** What marks the passages in the editor. */
  readonly plugin: Plugin
  readonly mayComment: boolean
  activate(id: string | null): void
  /** Begins a comment about what is selected. */
  begin(state: EditorState): void
  /** Answers a thread, or begins the one of a draft. */
  send(text: string, about: Thread | Draft): Promise<void>
  reload(): Promise<void>
}

/** The threads of comments about a document that is open in the rich editor. */
export function useThreads(entry: ArtifactEntry): Threads {
  const { threads: all, shareId, reload } = useComments(entry.id)
  const [unsent] = useState(() => readUnsentComments(entry.id))
  const [drafts, setDrafts] = useState(unsent.drafts)
  const [active, activate] = useState<string | null>(null)
  const [texts, setTexts] = useState(unsent.texts)
  const [showsResolved, setShowsResolved] = useState(false)
  const answered = all.filter(({ id }) => texts[id]?.trim()).map(({ id }) => id).join()
  const threads = useMemo(() => shownThreads(all, showsResolved, [...answered.split(','), active ?? '']), [all, showsResolved, answered, active])
  const resolved = all.filter(isResolved).length
  useEffect(() => writeUnsentComments(entry.id, { drafts, texts }), [entry.id, drafts, texts])
  const plugin = useMemo(() => commentMarks(activate), [])
  const write = (id: string, text: string) => setTexts((before) => ({ ...before, [id]: text }))
  useLostReplies(all, { texts, write })
  const begin = ({ doc, selection }: EditorState) => {
    const anchor = anchorOf(doc, selection)
    if (!anchor) return
    const filledDrafts = drafts.filter(({ id }) => texts[id]?.trim()) // an empty one is dropped
    const match = filledDrafts.find((draft) => draft.anchor.start === anchor.start && draft.anchor.quote === anchor.quote)
    const draft = match ?? { id: `draft:${randomUuid()}`, anchor }
    if (!match) setDrafts([...filledDrafts, draft])
    activate(draft.id)
  }
  const send = async (text: string, about: Thread | Draft) => {
    const thread = 'first' in about ? about : null
    const link = thread?.first.shareId ?? shareId
    if (!link) throw new ApiError(404, 'not_shared', t`Nobody can read comments on this document any more. Your text is kept.`)
    const place = { artifactId: entry.id, version: entry.latest ?? 1, text }
    const { id } = await sharingApi.comment(link, { ...place, ...('anchor' in about ? { anchor: about.anchor } : { threadId: about.id }) })
    write(about.id, '')
    await reload()
    if (thread) return
    setDrafts((before) => before.filter((draft) => draft.id !== about.id))
    activate(id)
  }
  const shownDrafts = useMemo(() => drafts.filter((draft) => draft.id === active || texts[draft.id]), [drafts, texts, active])
  const toggleResolved = () => setShowsResolved((before) => !before)
  const overview = { threads, open: all.length - resolved, resolved, showsResolved, toggleResolved, drafts: shownDrafts, active }
  return { ...overview, plugin, mayComment: shareId !== null, texts, write, activate, begin, send, reload }
}

/** Keeps the editor's marks as the threads are. */
export function useMarks({ view, state }: RichEditor, { threads, drafts, active }: Threads): void {
  const plugins = state?.plugins // a new editor has others
  useEffect(() => {
    const anchored = threads.flatMap((thread) => (thread.first.anchor ? [{ id: thread.id, anchor: thread.first.anchor, isResolved: isResolved(thread) }] : []))
    if (view.current && plugins) showMarks(view.current, { anchored: [...anchored, ...drafts], active })
  }, [view, plugins, threads, drafts, active])
}
