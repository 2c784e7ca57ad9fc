// Whom a text asks for with @. Pure.
/** What is looked for when a text asks for an assistant: what follows its @. Null: it doesn't ask. */
export const mentionQuery = (text: string): string | null => (/^@[^@/\n]{0,40}$/.test(text) ? text.slice(1).trim().toLowerCase() : null)

/** Those with the words in their name, or else in their description; the ones that begin with them first. */
export function matchingAssistants<A extends { readonly name: string; readonly description: string }>(all: readonly A[], query: string): readonly A[] {
  const place = ({ name, description }: A): number => {
    const at = name.toLowerCase().indexOf(query)
    if (at >= 0) return at > 0 ? 1 : 0
    return description.toLowerCase().includes(query) ? 2 : -1
  }
  return all.filter((each) => place(each) >= 0).toSorted((a, b) => place(a) - place(b))
}
