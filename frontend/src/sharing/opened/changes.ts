// What the server reports of links: the page that shows one reads it again, and its owner is told of comments.
import { t } from '@lingui/core/macro'
import { displayedShare, goToShared } from '../../navigation/router'
import { createStore } from '../../ui/store'
import { showToast } from '../../ui/toasts'

const ALL = 'all'

/** How often each link, and all of them, were reported to have changed. */
export const shareChanges = createStore<Readonly<Record<string, number>>>({})

export const reportShareChange = (id: string): void => shareChanges.patch({ [id]: (shareChanges.get()[id] ?? 0) + 1 })

/** The connection was away: anything may have changed. */
export const reportAllSharesChanged = (): void => reportShareChange(ALL)

/** Grows whenever the link may have changed. */
export const changesOf = (changes: Readonly<Record<string, number>>, id: string): number => (changes[id] ?? 0) + (changes[ALL] ?? 0)

type CommentNotice = { readonly shareId: string; readonly threadId: string; readonly author: string; readonly title: string }

/** Whether its thread is open beside the text, or the page shows the link with all its comments. */
function isLookedAt({ shareId, threadId }: CommentNotice): boolean {
  if (document.visibilityState !== 'visible') return false
  if (displayedShare() === shareId) return true
  const thread = document.querySelector(`[data-comments] article[data-thread="${CSS.escape(threadId)}"], [data-comments] [data-thread="${CSS.escape(threadId)}"][aria-expanded="true"]`)
  const place = thread?.getBoundingClientRect()
  return place !== undefined && place.bottom > 0 && place.top < innerHeight
}

/** Tells the link's owner, unless it is on the screen already. */
export function reportComment(notice: CommentNotice): void {
  if (isLookedAt(notice)) return
  const { author, title } = notice
  showToast(t`${author} commented on “${title}”.`, { label: t`Show`, act: () => goToShared(notice.shareId) })
}
