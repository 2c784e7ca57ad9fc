// The others who have a document open to write.
/** One page of a member. */
export type OtherWriter = { readonly id: string; readonly member: string; readonly name: string }

/** Where another writer's selection is, in offsets of the text. `namedUntil`: until when the name shows, in the time of `performance.now()`. */
export type TextCursor = { readonly writer: OtherWriter; readonly anchor: number; readonly head: number; readonly namedUntil: number }
/** Where all are in a text that several write. */
export type TextCursors = {
  all(): readonly TextCursor[]
  subscribe(listener: () => void): () => void
  /** Where this page's selection is. Null: nowhere. */
  tell(selection: { readonly anchor: number; readonly head: number } | null): void
}

/** New text of others has a ground as long: the animation in styles/editor.css. */
export const FADE_MS = 1000
/** An editor tells where it is at most as often. */
export const CURSOR_MS = 200
const COLOURS = 6

/** A number from 0, the same on every page. */
export function colourOf({ member }: OtherWriter): number {
  let sum = 0
  for (const character of member) sum = (sum * 31 + character.charCodeAt(0)) % 9973
  return sum % COLOURS
}

/** Each member once, however many pages they have. */
export const membersOf = (writers: readonly OtherWriter[]): readonly OtherWriter[] => [...new Map(writers.map((writer) => [writer.member, writer])).values()]
