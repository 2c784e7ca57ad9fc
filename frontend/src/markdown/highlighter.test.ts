import { afterEach, expect, test, vi } from 'vitest'
import { CodeStream, highlighterFor } from './highlighter'

const CODE = 'def f(x):\n    """Two\n    lines."""\n    return x + 1\n'

test('code that arrives in pieces gets the colours of the whole', async () => {
  const highlighter = await highlighterFor('python')
  const whole = new CodeStream(highlighter, 'python').update(CODE)
  const stream = new CodeStream(highlighter, 'python')
  for (let end = 1; end < CODE.length; end++) stream.update(CODE.slice(0, end))
  expect(stream.update(CODE)).toEqual(whole)
  expect(whole[0]?.some((span) => span.kind === 'keyword')).toBe(true)
  expect(whole[2]?.map((span) => span.kind)).toContain('comment')
})

afterEach(() => vi.restoreAllMocks())

test('a slow device shows the same colours', async () => {
  const highlighter = await highlighterFor('python')
  const whole = new CodeStream(highlighter, 'python').update(CODE)
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1000))
  expect(new CodeStream(highlighter, 'python').update(CODE)).toEqual(whole)
})

test('code that is replaced starts again', async () => {
  const stream = new CodeStream(await highlighterFor('python'), 'python')
  stream.update('a = 1\nb = 2\n')
  expect(stream.update('other').map((line) => line.map((span) => span.text).join(''))).toEqual(['other'])
})
