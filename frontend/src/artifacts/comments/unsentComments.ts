// What is written of comments and not sent survives another view of the document and a reload.
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Draft } from './threads'

/** `drafts`: new comments. */
export type UnsentComments = { readonly drafts: readonly Draft[]; readonly texts: Readonly<Record<string, string>> }

export type Unsent = {
  /** What is written and not sent, by the id of a thread or of a draft, or `edit:` with that of a comment: a field is gone while its thread is not looked at. */
  readonly texts: Readonly<Record<string, string>>
  write(id: string, text: string): void
}

const key = (artifactId: string): string => `comments:${artifactId}`

export function readUnsentComments(artifactId: string): UnsentComments {
  const json = readDraft(key(artifactId))
  return { drafts: [], texts: {}, ...(json && (JSON.parse(json) as Partial<UnsentComments>)) }
}

export function writeUnsentComments(artifactId: string, { drafts, texts }: UnsentComments): void {
  const filledTexts = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim()))
  const filledDrafts = drafts.filter(({ id }) => filledTexts[id])
  writeDraft(key(artifactId), Object.keys(filledTexts).length ? JSON.stringify({ drafts: filledDrafts, texts: filledTexts }) : '')
}
