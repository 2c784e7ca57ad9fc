type WithId = { readonly id: string }

/** The newest page read again, below the older messages that are already here. `kept` says whether any were. */
export function joinHistory<M extends WithId>(current: readonly M[], newest: readonly M[]): { readonly messages: M[]; readonly kept: boolean } {
  const first = newest[0]
  const overlap = first ? current.findIndex((message) => message.id === first.id) : -1
  return overlap > 0 ? { messages: [...current.slice(0, overlap), ...newest], kept: true } : { messages: [...newest], kept: false }
}
