// Splits a text that somebody else chose into what can be shown as it is and what must be marked: characters that can't be seen, that
// change the direction of the text, or that look like others. Pure.

/** `code`: the characters' numbers, such as `U+202E`. `hidden`: it is shown instead of the characters; `alike`: beside them. */
export type Segment = { readonly text: string; readonly kind: 'plain' | 'hidden' | 'alike'; readonly code?: string }

export type Options = { readonly lines?: boolean; readonly prose?: boolean }

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
/** White space other than a space: it may stand for one, or for nothing. */
const ODD_SPACE = /(?! )\p{Zs}/u
/** Spaces that French and the names of screenshots have. They stay plain where the text is only shown, and not what is agreed to. */
const PROSE_SPACES = new Set('\u00a0\u2009\u202f')
const PICTOGRAPH = /\p{Extended_Pictographic}/u
const MODIFIER = /\p{Emoji_Modifier}/u
const COMBINING = /\p{M}/u
const MAX_COMBINING = 3
/** Signs that look like those that divide an address or a command, and letters of the phonetic alphabet that look like Latin ones. */
const ALIKE = new Set('\u2044\u2215\u29f8\u27cb\u2571\u3033\u3002\uff61\u2024\u06d4\u0701\u0702\ua4f8\u05c3\u0589\u2236\ua789\u02d0\ufe55\u2010\u2011\u2012\u02d7\u2212\ua4fa\u01c3\u2016\u01c0\u05c0\u2223\u02ba\u02b9\u0251\u0261\u026a\u0131\u0237\u0269\u029f\u0274\u0280\u1d04\u1d0f\u1d1c\u1d20\u1d21\u1d22\u0455\u0501\u051b\u051d')
const LATIN = /\p{Script=Latin}/u
const OTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u
const LOOKS_LATIN_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}\p{Script=Georgian}\p{Script=Deseret}]/u
/** Letters of other scripts that look the same as Latin ones. A word of nothing but these is no word. */
const TWINS = /^[аеорсухіјѕԁԛԝһӏвкмнтАВЕКМНОРСТУХІЈЅԚԜҺӀαοινυχρΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցահ0-9._-]+$/u
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** The text in parts. Line breaks and tabs stay plain where `lines` is true, no-break and thin spaces where `prose` is. Adjacent parts of one kind are joined. */
export function segments(text: string, { lines = false, prose = false }: Options = {}): readonly Segment[] {
  const mixed = lookalikesInWords(text)
  const parts: Segment[] = []
  let offset = 0
  let marks = 0
  let before = ''
  for (const letter of text) {
    const after = characterAt(text, offset + letter.length)
    marks = COMBINING.test(letter) ? marks + 1 : 0
    push(parts, segmentOf(letter, { before, after, lines, prose, marks, mixed: mixed.has(offset) }))
    offset += letter.length
    before = letter
  }
  return parts
}

/** Whether the text holds anything that must be marked. */
export const isSuspicious = (text: string, options?: Options): boolean => segments(text, options).some(({ kind }) => kind !== 'plain')

/** The text as one string, for places that show no marks, such as the title of the page: what can't be seen is left out. */
export const visibleText = (text: string): string =>
  segments(text)
    .filter(({ kind }) => kind !== 'hidden')
    .map((segment) => segment.text)
    .join('')

type Place = { readonly before: string; readonly after: string; readonly lines: boolean; readonly prose: boolean; readonly marks: number; readonly mixed: boolean }

function segmentOf(letter: string, place: Place): Segment {
  if (place.lines && (letter === '\n' || letter === '\t')) return { text: letter, kind: 'plain' }
  if (place.prose && PROSE_SPACES.has(letter)) return { text: letter, kind: 'plain' }
  if (isEmojiGlue(letter, place) || (letter === '\u200c' && joins(place))) return { text: letter, kind: 'plain' }
  if (INVISIBLE.test(letter) || ODD_SPACE.test(letter) || place.marks > MAX_COMBINING) return { text: codeOf(letter), kind: 'hidden', code: codeOf(letter) }
  if (place.mixed || ALIKE.has(letter) || isCompatibilityForm(letter)) return { text: letter, kind: 'alike', code: codeOf(letter) }
  return { text: letter, kind: 'plain' }
}

/** The joiner and the emoji style are part of a picture that consists of several. */
const isEmojiGlue = (letter: string, { before, after }: Place): boolean =>
  (letter === '\u200d' && (PICTOGRAPH.test(before) || MODIFIER.test(before) || before === '\ufe0f') && PICTOGRAPH.test(after)) || (letter === '\ufe0f' && PICTOGRAPH.test(before) && !/[0-9#*]/.test(before))

/** Persian and Indic words need the non-joiner. */
const joins = ({ before, after }: Place): boolean => /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}]/u.test(before) && /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}]/u.test(after)

/** Full-width, mathematical and other forms of ASCII characters. */
function isCompatibilityForm(letter: string): boolean {
  if (letter <= '\x7f') return false
  const plain = letter.normalize('NFKC')
  return plain !== letter && /^[\x21-\x7e]+$/.test(plain) && !/[ªº¹²³…™№]/.test(letter)
}

/** The offsets of letters that stand in a word with Latin letters, or that make up a word of Latin twins in a text with Latin letters. */
function lookalikesInWords(text: string): ReadonlySet<number> {
  const offsets = new Set<number>()
  if (!LOOKS_LATIN_SCRIPT.test(text)) return offsets
  const hasLatin = LATIN.test(text)
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const mixes = LATIN.test(word) && OTHER_SCRIPT.test(word)
    const isTwin = hasLatin && TWINS.test(word) && LOOKS_LATIN_SCRIPT.test(word) && (word.length > 1 || isInName(text, index, word))
    if (!mixes && !isTwin) continue
    let offset = index
    for (const letter of word) {
      if (LOOKS_LATIN_SCRIPT.test(letter)) offsets.add(offset)
      offset += letter.length
    }
  }
  return offsets
}

/** A single letter is a word in some languages, and a trick between the signs of an address. */
const isInName = (text: string, index: number, word: string): boolean => /[-.@/]/.test(text[index - 1] ?? '') || /[-.@/]/.test(text[index + word.length] ?? '')

const characterAt = (text: string, offset: number): string => (offset < text.length ? String.fromCodePoint(text.codePointAt(offset) ?? 0) : '')

const codeOf = (letter: string): string => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

function push(parts: Segment[], segment: Segment): void {
  const last = parts.at(-1)
  if (last?.kind === 'plain' && segment.kind === 'plain') parts[parts.length - 1] = { text: last.text + segment.text, kind: 'plain' }
  else parts.push(segment)
}
