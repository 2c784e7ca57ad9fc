import { expect, test } from 'vitest'
import { breadcrumbsOf } from './breadcrumbs'

test('a folder is named with the way that leads to it', () => {
  expect(breadcrumbsOf('demo/tea', '')).toEqual([{ label: 'demo/tea', path: '' }])
  expect(breadcrumbsOf('demo/tea', 'docs/old')).toEqual([
    { label: 'demo/tea', path: '' },
    { label: 'docs', path: 'docs' },
    { label: 'old', path: 'docs/old' },
  ])
})
