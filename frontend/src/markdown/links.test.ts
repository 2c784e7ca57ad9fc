import { expect, test } from 'vitest'
import { isOwnImage, isSafeLink, withoutEntities } from './links'

test.each([
  ['https://example.test/a', true],
  ['mailto:a@example.test', true],
  ['/o/acme/', true],
  ['#part', true],
  ['//example.test', false],
  ['/\\example.test', false],
  ['javascript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['vbscript:x', false],
])('link %s', (href, safe) => {
  expect(isSafeLink(href)).toBe(safe)
})

test.each([
  ['data:image/png;base64,AA', true],
  ['/media/1.png', false],
  ['/media/../o/acme/admin/logout/', false],
  ['https://example.test/pixel.gif', false],
  ['/static/x.gif', false],
  ['data:image/svg+xml,<svg>', false],
])('picture %s', (source, own) => {
  expect(isOwnImage(source)).toBe(own)
})

test('only the common entities are read', () => {
  expect(withoutEntities('a &lt; b &amp;&amp; c &unknown;')).toBe('a < b && c &unknown;')
})
