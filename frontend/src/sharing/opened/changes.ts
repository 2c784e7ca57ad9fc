// What the server reports of links: the page that shows one reads it again, and its owner is told of comments.
import { t } from '@lingui/core/macro'
import { goToShared } from '../../navigation/router'
import { createStore } from '../../ui/store'
import { showToast } from '../../ui/toasts'

/** How often each link was reported to have changed. */
export const shareChanges = createStore<Readonly<Record<string, number>>>({})

export const reportShareChange = (id: string): void => shareChanges.patch({ [id]: (shareChanges.get()[id] ?? 0) + 1 })

/** The connection was away: anything may have changed. */
export function reportAllSharesChanged(): void {
  for (const id of Object.keys(shareChanges.get())) reportShareChange(id)
}

export function reportComment(notice: { readonly shareId: string; readonly author: string; readonly title: string }): void {
  const { author, title } = notice
  showToast(t`${author} commented on “${title}”.`, { label: t`Show`, act: () => goToShared(notice.shareId) })
}
