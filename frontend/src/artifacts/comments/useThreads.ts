import { useEffect, useMemo, useState } from 'react'
import type { EditorState, Plugin } from 'prosemirror-state'
import { sharingApi } from '../../sharing/sharingApi'
import type { ArtifactEntry } from '../entries'
import type { RichEditor } from '../rich/useRichEditor'
import { anchorOf } from './anchors'
import { commentMarks, showMarks } from './marks'
import type { Draft, Thread } from './threads'
import { readUnsentComments, writeUnsentComments } from './unsentComments'
import { useComments } from './useComments'

const DRAFT = 'draft'

export type Threads = {
  readonly threads: readonly Thread[]
  readonly draft: Draft | null
  /** The id of a thread or of the draft. */
  readonly active: string | null
  /** What marks the passages in the editor. */
  readonly plugin: Plugin
  readonly mayComment: boolean
  /** What is written and not sent, by the id of a thread or of the draft: a field is gone while its thread is not looked at. */
  readonly texts: Readonly<Record<string, string>>
  write(id: string, text: string): void
  activate(id: string | null): void
  /** Begins a comment about what is selected. */
  begin(state: EditorState): void
  /** `thread`: the one to answer; without it the draft is sent. */
  send(text: string, thread?: Thread): Promise<void>
  reload(): Promise<void>
}

/** The threads of comments about a document that is open in the rich editor. */
export function useThreads(entry: ArtifactEntry): Threads {
  const { threads, shareId, reload } = useComments(entry.id)
  const [unsent] = useState(() => readUnsentComments(entry.id))
  const [draft, setDraft] = useState(unsent.draft)
  const [active, activate] = useState<string | null>(null)
  const [texts, setTexts] = useState(unsent.texts)
  useEffect(() => writeUnsentComments(entry.id, { draft, texts }), [entry.id, draft, texts])
  const plugin = useMemo(() => commentMarks(activate), [])
  const write = (id: string, text: string) => setTexts((before) => ({ ...before, [id]: text }))
  const begin = ({ doc, selection }: EditorState) => {
    const anchor = anchorOf(doc, selection)
    if (anchor) setDraft({ id: DRAFT, anchor })
    if (anchor) activate(DRAFT)
  }
  const send = async (text: string, thread?: Thread) => {
    const place = { artifactId: entry.id, version: entry.latest ?? 1, text }
    const about = thread ? { threadId: thread.id } : { anchor: draft?.anchor }
    const { id } = await sharingApi.comment(thread?.first.shareId ?? shareId!, { ...place, ...about })
    write(thread?.id ?? DRAFT, '')
    await reload()
    if (thread) return
    setDraft(null)
    activate(id)
  }
  const isKept = active === DRAFT || Boolean(texts[DRAFT]) // an empty one is dropped by a look elsewhere
  return { threads, draft: isKept ? draft : null, active, plugin, mayComment: shareId !== null, texts, write, activate, begin, send, reload }
}

/** Keeps the editor's marks as the threads are. */
export function useMarks({ view, state }: RichEditor, { threads, draft, active }: Threads): void {
  const plugins = state?.plugins // a new editor has others
  useEffect(() => {
    const anchored = threads.flatMap(({ id, first }) => (first.anchor ? [{ id, anchor: first.anchor }] : []))
    if (view.current && plugins) showMarks(view.current, { anchored: draft ? [...anchored, draft] : anchored, active })
  }, [view, plugins, threads, draft, active])
}
