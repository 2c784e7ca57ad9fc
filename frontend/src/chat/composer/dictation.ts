// What was said, as text in the message box. Pure.
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type Edit = { readonly text: string; readonly caret: number }

/** Puts what was said in the place of the selection, with a space before and after it where words would touch. */
export function insertSpeech(text: string, start: number, end: number, speech: string): Edit {
  const words = speech.trim()
  const before = text.slice(0, start)
  const after = text.slice(end)
  if (!words) return { text, caret: end }
  const lead = before && !/[\s([{“"]$/u.test(before) ? ' ' : ''
  const tail = after && !/^[\s.,;:!?)\]}”"]/u.test(after) ? ' ' : ''
  const head = `${before}${lead}${words}`
  return { text: `${head}${tail}${after}`, caret: head.length }
}

const ERRORS: Readonly<Record<string, MessageDescriptor>> = {
  'not-allowed': msg`The microphone is blocked. Allow it for this page beside the browser’s address, then try again.`,
  'service-not-allowed': msg`This browser does not allow voice input here.`,
  'audio-capture': msg`No microphone was found.`,
  'no-speech': msg`Nothing was heard. Try again.`,
  network: msg`Your browser’s speech service can’t be reached. Try again later.`,
  'language-not-supported': msg`Your browser has no voice input for its language.`,
}
const OTHER_ERROR = msg`Voice input stopped. Try again.`

/** Why voice input ended, as a sentence; empty where the user ended it. */
export const speechError = (code: string): string => (code === 'aborted' ? '' : i18n._(ERRORS[code] ?? OTHER_ERROR))
