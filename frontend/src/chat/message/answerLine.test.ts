import { expect, test } from 'vitest'
import type { AnswerUsage } from '../../api/generated'
import { answerLine } from './answerLine'

const USED: AnswerUsage = {
  ...{ runId: 'r', answers: 1, calls: 2, inputTokens: 4812, cachedTokens: 3950, cacheWriteTokens: 0, toolTokens: 0, outputTokens: 791, thinkingTokens: 611 },
  ...{ costUsd: 0.031, unpricedCalls: 0, estimatedCalls: 0, firstTokenMs: 1100, durationMs: 14_000 },
}

test('the small print says only what is known', () => {
  expect(answerLine(undefined, { showsCost: true })).toBe('')
  expect(answerLine({ modelName: 'Demo Large' }, { showsCost: true })).toBe('Demo Large')
  expect(answerLine({ modelName: 'G', usage: { inputTokens: 1200, outputTokens: 30, thinkingTokens: 12 }, durationMs: 1500 }, { showsCost: true })).toBe('G · 1.5 s · 1,242 tokens')
})

test('the log of calls wins over what the stream told', () => {
  expect(answerLine({ modelName: 'G', usage: { inputTokens: 1, outputTokens: 1, thinkingTokens: 1 } }, { loggedUsage: USED, showsCost: true })).toBe('G · 14.0 s · 6,214 tokens · $0.031')
})

test('a cost that is not wholly known is left out', () => {
  expect(answerLine({ modelName: 'G' }, { loggedUsage: { ...USED, unpricedCalls: 1 }, showsCost: true })).toBe('G · 14.0 s · 6,214 tokens')
  expect(answerLine({ modelName: 'G', costUsd: null }, { showsCost: true })).toBe('G')
})

test('without cost, model and time stay', () => {
  expect(answerLine({ modelName: 'G' }, { loggedUsage: USED, showsCost: false })).toBe('G · 14.0 s')
  expect(answerLine({ modelName: 'G' }, { elapsedMs: 2000, showsCost: false })).toBe('G · 2.0 s')
})
