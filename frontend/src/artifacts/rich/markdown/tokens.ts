// Blocks as a row of tokens, one for each position that they take in the document.
import type { Node } from 'prosemirror-model'
import { differences } from '../../editing/rebase'

/** A character, a node without content, or an end of a node. `key` is the same for the same words, whatever marks or level they have. */
type Token = { readonly key: string; readonly node: Node }
/** What stood at `from` to `to` stands at `fromNew` to `toNew`. */
export type Range = { readonly from: number; readonly to: number; readonly fromNew: number; readonly toNew: number }
/** `moves`: what came and went. `changes`: these and what stayed with other marks, levels or addresses. Both in order. */
export type Difference = { readonly moves: readonly Range[]; readonly changes: readonly Range[] }

/** A letter or a digit. Chinese has no spaces: each of its signs is compared alone. */
const IN_WORD = /^(?!\p{Ideographic})[\p{L}\p{M}\p{N}]$/u

/** Into one array, as long texts have many. */
function addTokens(node: Node, tokens: Token[]): void {
  const { text } = node
  for (let index = 0; text && index < text.length; index++) tokens.push({ key: String.fromCodePoint(text.codePointAt(index)!), node })
  if (text) return
  const key = node.isTextblock ? 'textblock' : node.type.name
  tokens.push({ key, node })
  if (node.isLeaf) return
  node.forEach((child) => addTokens(child, tokens))
  tokens.push({ key: `/${key}`, node })
}

function tokensOf(nodes: readonly Node[]): Token[] {
  const tokens: Token[] = []
  for (const node of nodes) addTokens(node, tokens)
  return tokens
}

/** Where each word begins, and each token that is in no word, and where the last one ends. */
function startsOf(tokens: readonly Token[]): number[] {
  const starts: number[] = []
  let isAfterWord = false
  tokens.forEach(({ key }, index) => {
    const isWord = IN_WORD.test(key)
    if (!isWord || !isAfterWord) starts.push(index)
    isAfterWord = isWord
  })
  return [...starts, tokens.length]
}

const wordBetween = (tokens: readonly Token[], from: number, to: number): string => tokens.slice(from, to).map(({ key }) => key).join('')

/** A space goes with the word before it: all spaces are the same, and other words would be taken as gone to keep more of them. */
function wordsOf(tokens: readonly Token[], starts: readonly number[]): string[] {
  return starts.slice(1).map((to, index) => {
    const from = starts[index]!
    return wordBetween(tokens, tokens[from]!.key === ' ' ? (starts[index - 1] ?? from) : from, to)
  })
}

/** One character for each word, the same for the same word in all rows. */
function coder(): (words: readonly string[]) => string {
  const codes = new Map<string, string>()
  const codeOf = (word: string): string => codes.get(word) ?? codes.set(word, String.fromCharCode(codes.size)).get(word)!
  return (words) => words.map(codeOf).join('')
}

/** Without the letters that stayed at both ends. */
function trimmed(before: readonly Token[], after: readonly Token[], range: Range): Range {
  let { from, to, fromNew, toNew } = range
  while (from < to && fromNew < toNew && before[from]!.key === after[fromNew]!.key) [from, fromNew] = [from + 1, fromNew + 1]
  while (from < to && fromNew < toNew && before[to - 1]!.key === after[toNew - 1]!.key) [to, toNew] = [to - 1, toNew - 1]
  return { from, to, fromNew, toNew }
}

/** By words, for letters of a rewritten text are often the same by chance. */
function movesBetween(before: readonly Token[], after: readonly Token[]): Range[] {
  const [old, next, code] = [startsOf(before), startsOf(after), coder()]
  const changes = differences(code(wordsOf(before, old)), code(wordsOf(after, next)))
  return changes.map(({ fromA, toA, fromB, toB }) => trimmed(before, after, { from: old[fromA]!, to: old[toA]!, fromNew: next[fromB]!, toNew: next[toB]! }))
}

/** Where a run of tokens that stayed has another markup. */
function markupChanges(before: readonly Token[], after: readonly Token[], { from, to, fromNew }: Range): Range[] {
  const changes: Range[] = []
  for (let at = from; at < to; at++) {
    const place = fromNew + at - from
    if (before[at]!.node.sameMarkup(after[place]!.node)) continue
    const last = changes.at(-1)
    if (last?.to === at) changes[changes.length - 1] = { ...last, to: at + 1, toNew: place + 1 }
    else changes.push({ from: at, to: at + 1, fromNew: place, toNew: place + 1 })
  }
  return changes
}

const shifted = (ranges: readonly Range[], by: number): Range[] =>
  ranges.map(({ from, to, fromNew, toNew }) => ({ from: from + by, to: to + by, fromNew: fromNew + by, toNew: toNew + by }))

/** The smallest changes that make the one row of blocks the other. `start`: the position of the first block in both documents. */
export function differenceOf(old: readonly Node[], next: readonly Node[], start: number): Difference {
  const [before, after] = [tokensOf(old), tokensOf(next)]
  const moves = movesBetween(before, after)
  const end = { from: before.length, to: before.length, fromNew: after.length, toNew: after.length }
  const changes = [...moves, end].flatMap((move, index) => {
    const { to, toNew } = moves[index - 1] ?? { to: 0, toNew: 0 }
    const stayed = { from: to, to: move.from, fromNew: toNew, toNew: move.fromNew }
    return [...markupChanges(before, after, stayed), ...(move === end ? [] : [move])]
  })
  return { moves: shifted(moves, start), changes: shifted(changes, start) }
}
