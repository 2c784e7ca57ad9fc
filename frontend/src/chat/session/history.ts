type WithId = { readonly id: string }

/** Joins the newest page with the older messages that are already here. `hasOlder`: whether there were any. */
export function joinHistory<M extends WithId>(current: readonly M[], newest: readonly M[]): { readonly messages: M[]; readonly hasOlder: boolean } {
  const first = newest[0]
  const overlap = first ? current.findIndex((message) => message.id === first.id) : -1
  return overlap > 0 ? { messages: [...current.slice(0, overlap), ...newest], hasOlder: true } : { messages: [...newest], hasOlder: false }
}

/** Where messages are missing in `joined`: not inside the newest page, whose messages follow each other, nor before what is not here any more. */
export function gapAfterJoin(gapBefore: string, newest: readonly WithId[], joined: readonly WithId[]): string {
  const isGap = ({ id }: WithId) => id === gapBefore
  return newest.findIndex(isGap) <= 0 && joined.findIndex(isGap) > 0 ? gapBefore : ''
}

/** Puts a page of an earlier day in front of the newest messages that are here without a gap. `gapBefore`: the message before which others are missing; empty: none. */
export function joinEarlier<M extends WithId>(page: readonly M[], newest: readonly M[]): { readonly messages: M[]; readonly gapBefore: string } {
  const first = newest[0]?.id ?? ''
  const overlap = page.findIndex(({ id }) => id === first)
  return { messages: [...(overlap < 0 ? page : page.slice(0, overlap)), ...newest], gapBefore: overlap < 0 ? first : '' }
}
