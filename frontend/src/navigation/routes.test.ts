import { expect, test } from 'vitest'
import { conversationPath, parseRoute, projectPath } from './routes'

const ID = '0190c5a4-1111-4222-8333-444455556666'

test('a message may be named', () => {
  const path = conversationPath('acme', ID, { messageId: ID })
  expect(path).toBe(`/o/acme/c/${ID}/#m-${ID}`)
  expect(parseRoute(`/o/acme/c/${ID}/`, 'acme', `#m-${ID}`)).toEqual({ page: 'conversation', id: ID, messageId: ID })
  expect(parseRoute(`/o/acme/c/${ID}/`, 'acme', '#message')).toEqual({ page: 'conversation', id: ID })
})

test('a document may be named', () => {
  const path = conversationPath('acme', ID, { artifactId: ID })
  expect(path).toBe(`/o/acme/c/${ID}/#d-${ID}`)
  expect(parseRoute(`/o/acme/c/${ID}/`, 'acme', `#d-${ID}`)).toEqual({ page: 'conversation', id: ID, artifactId: ID })
})

test.each([
  ['/o/acme/', { page: 'new' }],
  ['/o/acme', { page: 'new' }],
  [conversationPath('acme', ID), { page: 'conversation', id: ID }],
  [`/o/acme/c/${ID}`, { page: 'conversation', id: ID }],
  ['/o/acme/archive/', { page: 'archive' }],
  [projectPath('acme', ID), { page: 'project', id: ID }],
  ['/o/acme/templates/', { page: 'templates' }],
  [`/o/acme/templates/${ID}/`, { page: 'templates', id: ID }],
  [`/o/acme/shared/${ID}/`, { page: 'shared', id: ID }],
  ['/o/acme/p/not-an-id/', { page: 'unknown' }],
  ['/o/acme/c/not-an-id/', { page: 'unknown' }],
  [`/o/acme/c/${ID}/more/`, { page: 'unknown' }],
  ['/o/acme/admin/', { page: 'unknown' }],
  [`/o/other/c/${ID}/`, { page: 'unknown' }],
  ['/', { page: 'unknown' }],
])('%s', (path, route) => {
  expect(parseRoute(path, 'acme')).toEqual(route)
})
