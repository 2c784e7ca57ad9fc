import { diff, type Change } from '@codemirror/merge'
import { ChangeSet, Text } from '@codemirror/state'

/** Enough for any text a member writes. A rewritten megabyte falls back to one rough change. */
const LIMITS = { scanLimit: 1000, timeout: 100 }

/** Where `after` differs from `before`, in order. */
export const differences = (before: string, after: string): readonly Change[] => diff(before, after, LIMITS)

/** The changes that turn `before` into `after`, as few and as small as possible. */
export function changesBetween(before: string, after: string): ChangeSet {
  const changes = differences(before, after).map(({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, insert: after.slice(fromB, toB) }))
  return ChangeSet.of(changes, before.length, '\n')
}

/** The text with both kinds of changes since `base`: those of the server, and those typed here meanwhile. */
export function rebase(base: string, serverText: string, ownText: string): string {
  const theirs = changesBetween(base, serverText)
  const ours = changesBetween(base, ownText)
  return theirs.compose(ours.map(theirs)).apply(Text.of(base.split('\n'))).toString()
}
