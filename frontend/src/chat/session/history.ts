type WithId = { readonly id: string }

/** Joins the newest page with the older messages that are already here. `hasOlder`: whether there were any. */
export function joinHistory<M extends WithId>(current: readonly M[], newest: readonly M[]): { readonly messages: M[]; readonly hasOlder: boolean } {
  const first = newest[0]
  const overlap = first ? current.findIndex((message) => message.id === first.id) : -1
  return overlap > 0 ? { messages: [...current.slice(0, overlap), ...newest], hasOlder: true } : { messages: [...newest], hasOlder: false }
}
