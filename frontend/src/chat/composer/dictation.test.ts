import { expect, test } from 'vitest'
import { speechError, insertSpeech } from './dictation'

test.each([
  ['', 0, 0, 'green tea', 'green tea', 9],
  ['Buy', 3, 3, ' green tea ', 'Buy green tea', 13],
  ['Buy now', 4, 4, 'tea', 'Buy tea now', 7],
  ['Buy old now', 4, 7, 'green', 'Buy green now', 9],
  ['Buy (', 5, 5, 'tea', 'Buy (tea', 8],
  ['Buy .', 4, 4, 'tea', 'Buy tea.', 7],
  ['Buy', 3, 3, ' ', 'Buy', 3],
])('into %j from %i to %i, %j gives %j', (text, start, end, speech, expected, caret) => {
  expect(insertSpeech(text, start, end, speech)).toEqual({ text: expected, caret })
})

test('an error is a sentence, and the own stop is none', () => {
  expect(speechError('not-allowed')).toMatch(/microphone is blocked/)
  expect(speechError('bad-grammar')).toBe('Voice input stopped. Try again.')
  expect(speechError('aborted')).toBe('')
})
