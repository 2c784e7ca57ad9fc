import { expect, test } from 'vitest'
import { crumbs } from './crumbs'

test('a folder is named with the way that leads to it', () => {
  expect(crumbs('demo/tea', '')).toEqual([{ label: 'demo/tea', path: '' }])
  expect(crumbs('demo/tea', 'docs/old')).toEqual([
    { label: 'demo/tea', path: '' },
    { label: 'docs', path: 'docs' },
    { label: 'old', path: 'docs/old' },
  ])
})
