import { expect, test } from 'vitest'
import { base64Of, fontStyle, withStyle } from './diagramFont'

test('a picture carries the font as its first element, and what is no picture stays', () => {
  const style = fontStyle(new Uint8Array([119, 79, 70, 50]).buffer)
  expect(style).toContain('data:font/woff2;base64,d09GMg==')
  expect(withStyle('<svg width="1"><g/></svg>', style)).toBe(`<svg width="1">${style}<g/></svg>`)
  expect(withStyle('no <svg>', style)).toBe('no <svg>')
})

test('large files are encoded whole', () => {
  const bytes = new Uint8Array(100_000).map((_, index) => index)
  expect(Uint8Array.from(atob(base64Of(bytes)), (letter) => letter.charCodeAt(0))).toEqual(bytes)
})
