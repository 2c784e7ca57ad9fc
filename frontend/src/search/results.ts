import { t } from '@lingui/core/macro'
import type { ConversationItem, SearchHit, SearchPage, TextSegment } from '../api/generated'
import { titleOf } from '../conversations/title'
import { dateText } from '../language/formats'

/** What the list of the dialog shows. Each row is one option; the groups only have headings. */
export type Row = { readonly kind: 'hit'; readonly id: string; readonly hit: SearchHit } | { readonly kind: 'new'; readonly id: string; readonly text: string }
export type RowGroup = { readonly label: string; readonly rows: readonly Row[] }

const RECENT = 8

const rowOf = (hit: SearchHit): Row => ({ kind: 'hit', id: `search-${hit.messageId ?? hit.artifactId ?? hit.conversationId}`, hit })
const group = (label: string, rows: readonly Row[]): readonly RowGroup[] => (rows.length ? [{ label, rows }] : [])

/** The newest conversations that the page knows, for an empty query. */
export function recentGroups(items: readonly ConversationItem[]): readonly RowGroup[] {
  const hits = items.slice(0, RECENT).map((item): SearchHit => ({ conversationId: item.id, title: [{ text: titleOf(item), hit: false }], archived: item.archived, projectId: item.projectId, messageId: null, role: null, artifactId: null, kind: null, version: null, snippet: [], at: item.updatedAt }))
  return group(t`Recent`, hits.map(rowOf))
}

/** The server's hits, then the offer to begin a chat with what was typed. */
export function resultGroups(page: SearchPage, query: string): readonly RowGroup[] {
  const isText = (hit: SearchHit) => Boolean(hit.messageId ?? hit.artifactId)
  const titles = page.items.filter((hit) => !isText(hit))
  const texts = page.items.filter(isText)
  const start: readonly Row[] = query ? [{ kind: 'new', id: 'search-new', text: query }] : []
  return [...group(query ? t`Titles` : t`Recent`, titles.map(rowOf)), ...group(t`In messages and documents`, texts.map(rowOf)), ...group(t`Or`, start)]
}

export const rowsOf = (groups: readonly RowGroup[]): readonly Row[] => groups.flatMap(({ rows }) => rows)

/** How many characters of a title fit in its line at least. A character is up to 8 px wide, and a third of them may stand before the found word. */
export const ROOM = { desktop: 60, phone: 24 }

/** The part of a title around the first word that was found, where that would be cut off. */
export function aroundHit(title: readonly TextSegment[], room: number): readonly TextSegment[] {
  const at = title.findIndex(({ hit }) => hit)
  const before = [...title.slice(0, at).map(({ text }) => text).join('')]
  if (at < 1 || before.length + title[at]!.text.length <= room) return title
  const near = before.slice(-Math.round(room / 3)).join('')
  return [{ text: `… ${near.slice(near.search(/\s/) + 1)}`, hit: false }, ...title.slice(at)]
}

/** The date of a hit, as short as it stays clear. */
export function shortDate(iso: string, now: number): string {
  const date = new Date(iso)
  const today = new Date(now)
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (date.toDateString() === today.toDateString()) return t`Today`
  if (date.toDateString() === yesterday.toDateString()) return t`Yesterday`
  const year = date.getFullYear() === today.getFullYear() ? undefined : 'numeric'
  return dateText(date, { day: 'numeric', month: 'short', year })
}
