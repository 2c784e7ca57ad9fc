// What the server reports of links: the page that shows one reads it again, and its owner is told of comments.
import { t } from '@lingui/core/macro'
import { goToShared } from '../../navigation/router'
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

export function reportComment(notice: { readonly shareId: string; readonly author: string; readonly title: string }): void {
  const { author, title } = notice
  showToast(t`${author} commented on “${title}”.`, { label: t`Show`, act: () => goToShared(notice.shareId) })
}
