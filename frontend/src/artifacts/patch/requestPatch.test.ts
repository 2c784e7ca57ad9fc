import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork } from '../../testing/fakeNetwork'

let network: FakeNetwork

beforeEach(() => {
  vi.resetModules()
  network = new FakeNetwork()
  network.install()
})
afterEach(() => void vi.unstubAllGlobals())

test('a selection is changed in the text it was made in, and in no other', async () => {
  const [{ requestPatch }, { EditSession }] = await Promise.all([import('./requestPatch'), import('../editing/editSession')])
  network.reply = () => [200, { replacement: 'cold' }]
  const editing = new EditSession('a', 1, 'hot tea', () => undefined)
  const hot = { start: 0, end: 3, of: 'hot tea' }
  expect(await requestPatch(editing, hot, 'Cool it')).toMatchObject({ base: 1, after: 'cold tea' })
  editing.adoptNewer(2, 'Oh, hot tea')
  await expect(requestPatch(editing, hot, 'Cool it')).rejects.toThrow('The text has changed meanwhile.')
  expect(network.posts).toHaveLength(1)
})
