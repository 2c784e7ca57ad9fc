import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork, type RestAnswer } from '../testing/fakeNetwork'

const ME = '/o/acme/api/me/'
const had = { showsCost: true, codeLigatures: false }
let network: FakeNetwork

beforeEach(() => {
  vi.resetModules()
  network = new FakeNetwork()
  network.install()
  network.bodies[ME] = had
})
afterEach(() => vi.unstubAllGlobals())

async function begin() {
  const { choose, loadChoices, startCodeLigatures } = await import('./choices')
  const toggleAttribute = vi.fn<(name: string, isOn: boolean) => void>()
  document.documentElement.toggleAttribute = toggleAttribute as never
  startCodeLigatures()
  return { choose, loadChoices, hasLigatures: () => toggleAttribute.mock.lastCall?.[1] }
}

test('what is read while a change is on its way does not take it back', async () => {
  const { choose, loadChoices, hasLigatures } = await begin()
  let answer: (answer: RestAnswer) => void = () => undefined
  network.reply = () => new Promise((resolve) => (answer = resolve))
  choose({ codeLigatures: true })
  loadChoices()
  await vi.waitFor(() => expect(network.posts).toHaveLength(1))
  expect(network.requested).toEqual([])
  network.bodies[ME] = { ...had, codeLigatures: true }
  answer([200, { ...had, codeLigatures: true }])
  await vi.waitFor(() => expect(network.requested).toEqual([ME]))
  expect(hasLigatures()).toBe(true)
})

test('what the server refuses is taken back', async () => {
  const { choose, loadChoices, hasLigatures } = await begin()
  loadChoices()
  await vi.waitFor(() => expect(hasLigatures()).toBe(false))
  network.reply = () => [400, { error: { code: 'bad_request', message: 'No.' } }]
  choose({ codeLigatures: true })
  expect(hasLigatures()).toBe(true)
  await vi.waitFor(() => expect(hasLigatures()).toBe(false))
})
