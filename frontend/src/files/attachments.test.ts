import { beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork } from '../testing/fakeNetwork'

const PATH = '/o/acme/api/files/f1/'
const file = (state: string) => ({ id: 'f1', name: 'tea.pdf', mediaType: 'application/pdf', kind: 'pdf', sizeBytes: 9, state, reason: '', url: '', downloadUrl: '' })
const network = new FakeNetwork()

beforeEach(() => {
  vi.resetModules()
  vi.useFakeTimers()
  network.bodies = { [PATH]: file('pending') }
  network.install()
  return () => vi.useRealTimers()
})

async function attachedFile() {
  const { Attachments } = await import('./attachments')
  const attachments = new Attachments()
  attachments.restore(['f1'])
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(attachments.list.get()[0]?.item?.state).toBe('pending')
  return attachments
}

test('a text that takes ten minutes to read is shown as read', async () => {
  const attachments = await attachedFile()
  network.bodies = { [PATH]: file('ready') }
  await vi.advanceTimersByTimeAsync(5_000)
  expect(attachments.list.get()[0]?.item?.state).toBe('ready')
  const asked = network.requested.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.requested).toHaveLength(asked)
})

test('a file that was deleted meanwhile says so and is not asked for again', async () => {
  const attachments = await attachedFile()
  network.bodies = {}
  await vi.advanceTimersByTimeAsync(60_000)
  expect(attachments.list.get()[0]).toMatchObject({ item: undefined, error: 'Not found.' })
  const asked = network.requested.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.requested).toHaveLength(asked)
})
