// What is written of comments and not sent survives another view of the document and a reload.
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Draft } from './threads'

/** `draft`: a new comment. `texts`: by the id of a thread or of the draft. */
export type UnsentComments = { readonly draft: Draft | null; readonly texts: Readonly<Record<string, string>> }

const key = (artifactId: string): string => `comments:${artifactId}`

export function readUnsentComments(artifactId: string): UnsentComments {
  const stored = readDraft(key(artifactId))
  return stored ? (JSON.parse(stored) as UnsentComments) : { draft: null, texts: {} }
}

export function writeUnsentComments(artifactId: string, { draft, texts }: UnsentComments): void {
  const written = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim()))
  writeDraft(key(artifactId), Object.keys(written).length ? JSON.stringify({ draft, texts: written }) : '')
}
