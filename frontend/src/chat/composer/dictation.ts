// What was said, as text in the message box. Pure.

export type Edit = { readonly text: string; readonly caret: number }

/** Puts what was said in the place of the selection, with a space before and after it where words would touch. */
export function withSpoken(text: string, start: number, end: number, spoken: string): Edit {
  const words = spoken.trim()
  const before = text.slice(0, start)
  const after = text.slice(end)
  if (!words) return { text, caret: end }
  const lead = before && !/[\s([{“"]$/u.test(before) ? ' ' : ''
  const tail = after && !/^[\s.,;:!?)\]}”"]/u.test(after) ? ' ' : ''
  const head = `${before}${lead}${words}`
  return { text: `${head}${tail}${after}`, caret: head.length }
}

const ERRORS: Readonly<Record<string, string>> = {
  'not-allowed': 'The microphone is blocked. Allow it for this page beside the browser’s address, then try again.',
  'service-not-allowed': 'This browser does not allow voice input here.',
  'audio-capture': 'No microphone was found.',
  'no-speech': 'Nothing was heard. Try again.',
  network: 'Your browser’s speech service can’t be reached. Try again later.',
  'language-not-supported': 'Your browser has no voice input for its language.',
}

/** Why voice input ended, as a sentence; empty where the user ended it. */
export const speechError = (code: string): string => (code === 'aborted' ? '' : (ERRORS[code] ?? 'Voice input stopped. Try again.'))
