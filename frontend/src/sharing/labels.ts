import { plural, t } from '@lingui/core/macro'
import type { ShareItem, SharePreview } from '../api/generated'
import { dateText } from '../language/formats'
import { relativeTime } from '../ui/relativeTime'

type Lifetime = { readonly days: number | null; readonly says: string }

export const DEFAULT_DAYS = 30 // as in sharing/shapes.py, for the API

const lifetimeOf = (days: number): Lifetime => ({ days, says: plural(days, { one: '# day', other: '# days' }) })

/** How long a link may last, from now. */
export const lifetimes = (): readonly Lifetime[] => [...[1, 7, 30, 90].map(lifetimeOf), { days: 365, says: t`1 year` }, { days: null, says: t`Never expires` }]

/** Such as `Ends on 22 December 2026`. */
export function endOf(share: ShareItem): string {
  if (!share.expiresAt) return t`Never expires`
  const day = dateText(share.expiresAt, { day: 'numeric', month: 'long', year: 'numeric' })
  return share.expired ? t`Expired on ${day}` : t`Ends on ${day}`
}

/** Such as `Opened 14 times, last yesterday, 09:12`. */
export function viewsOf({ viewCount, lastViewedAt }: ShareItem, now: number): string {
  if (!viewCount || !lastViewedAt) return t`Not opened yet`
  const last = relativeTime(Date.parse(lastViewedAt), now)
  return plural(viewCount, { one: `Opened once, last ${last}`, other: `Opened # times, last ${last}` })
}

/** Such as `Anyone with the link · always the latest`. */
export function rulesOf(share: ShareItem): string {
  return [readersOf(share), rightOf(share), shownBy(share), hiddenOf(share), share.isListed && t`search engines may list it`].filter(Boolean).join(' · ')
}

function readersOf({ audience, readers, hasPassword }: ShareItem): string {
  if (audience === 'public') return hasPassword ? t`Anyone with the password` : t`Anyone with the link`
  if (audience === 'members') return t`Members only`
  return readers.map(({ name }) => name).join(', ') || t`No one left`
}

function rightOf({ right }: ShareItem): string {
  if (right === 'comment') return t`can comment`
  return right === 'edit' ? t`can comment and edit` : ''
}

function shownBy({ of, follows, version }: ShareItem): string {
  if (of === 'answer') return t`one answer`
  if (follows) return t`always the latest`
  return version ? t`version ${version}` : t`a copy`
}

function hiddenOf({ hidden, hidesKeys }: ShareItem): string {
  const texts = hidden.length ? plural(hidden.length, { one: '# text hidden', other: '# texts hidden' }) : ''
  return [texts, hidesKeys && t`keys hidden`].filter(Boolean).join(' · ')
}

const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** What a page has in its HTML to show the document of a link. */
export const frameHtml = ({ url, title }: Pick<ShareItem, 'url' | 'title'>): string =>
  `<iframe src="${attribute(url)}frame/" title="${attribute(title)}" width="100%" height="480" loading="lazy"></iframe>`

/** Such as `4 messages, 1 document, 2 files not shared`. */
export function contentsOf({ messageCount, artifactCount, fileCount }: Pick<SharePreview, 'messageCount' | 'artifactCount' | 'fileCount'>): string {
  const parts = [
    messageCount && plural(messageCount, { one: '# message', other: '# messages' }),
    artifactCount && plural(artifactCount, { one: '# document', other: '# documents' }),
    fileCount && plural(fileCount, { one: '# file not shared', other: '# files not shared' }),
  ]
  return parts.filter(Boolean).join(', ')
}
