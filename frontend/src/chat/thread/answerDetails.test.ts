import { expect, test } from 'vitest'
import { answerDetails } from './answerDetails'

test('the small print says only what is known', () => {
  expect(answerDetails(undefined)).toBe('')
  expect(answerDetails({ modelName: 'Demo Large' })).toBe('Demo Large')
  expect(answerDetails({ modelName: 'G', usage: { inputTokens: 1200, outputTokens: 30, thinkingTokens: 12 }, durationMs: 1500 })).toBe(
    'G · 1,200 tokens in, 42 out · 1.5 s',
  )
})
