import { describe, expect, it } from 'vitest'
import { progressSummary } from './toolProgress'

describe('progressSummary', () => {
  it.each([
    [undefined, ''],
    [{ callId: 'c', percent: 40, text: 'Step 2' }, '40 % · Step 2'],
    [{ callId: 'c', percent: 0, text: '' }, '0 %'],
    [{ callId: 'c', percent: null, text: 'Step 2' }, 'Step 2'],
    [{ callId: 'c', percent: null, text: '' }, ''],
  ])('says what is known of %o', (progress, summary) => expect(progressSummary(progress)).toBe(summary))
})
