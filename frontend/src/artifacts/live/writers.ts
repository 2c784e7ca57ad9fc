// The others who have a document open to write.
/** One page of a member. */
export type OtherWriter = { readonly id: string; readonly member: string; readonly name: string }

const COLOURS = 6

/** A number from 0, the same on every page. */
export function colourOf({ member }: OtherWriter): number {
  let sum = 0
  for (const character of member) sum = (sum * 31 + character.charCodeAt(0)) % 9973
  return sum % COLOURS
}

/** Each member once, however many pages they have. */
export const membersOf = (writers: readonly OtherWriter[]): readonly OtherWriter[] => [...new Map(writers.map((writer) => [writer.member, writer])).values()]
