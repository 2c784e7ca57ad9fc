import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeNetwork, type RestAnswer } from '../../testing/fakeNetwork'
import type { EditSession as EditingType } from './editSession'
import './rebase' // CodeMirror looks at the document when it is loaded: before the network's stand-in is there

let network: FakeNetwork
let storage: Record<string, string>
let EditSession: typeof EditingType

const saveReply = (number: number, content: string): RestAnswer => [201, { version: { number }, content, merged: false }]
const sides = { base: { number: 1, content: 'one' }, latest: { number: 4, content: 'theirs' }, yours: 'mine', merged: [] }
const conflict = [409, { error: { code: 'conflict', message: 'Both changed.' }, ...sides }] as const
const edit = (text = 'one') => new EditSession('a', 1, text, () => undefined)
const bodies = () => network.posts.map(({ body }) => body)

beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  network = new FakeNetwork()
  network.install()
  storage = Object.create({
    getItem: (key: string) => storage[key] ?? null,
    setItem: (key: string, value: string) => (storage[key] = value),
    removeItem: (key: string) => delete storage[key],
  }) as Record<string, string>
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('navigator', {})
  network.reply = ({ body }) => saveReply(network.posts.length + 1, String(body.content))
  ;({ EditSession } = await import('./editSession'))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('two minutes without a change save, once, against the version that was edited', async () => {
  const editing = edit()
  editing.change('one t')
  await vi.advanceTimersByTimeAsync(100_000)
  editing.change('one two')
  await vi.advanceTimersByTimeAsync(119_000)
  expect(network.posts).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(bodies()).toEqual([{ content: 'one two', base: 1, autosave: true }])
  expect(editing.state.get()).toMatchObject({ base: 2, save: 'saved' })
})

test('keys that never rest are kept by the browser, and saved every ten minutes', async () => {
  const editing = edit()
  for (let time = 0; time < 1_210; time += 0.2) {
    editing.change(`one ${time}`)
    await vi.advanceTimersByTimeAsync(200)
  }
  expect(Object.values(storage)).toEqual([expect.stringContaining('one 1209')])
  expect(network.posts).toHaveLength(2)
  expect(bodies()[1]).toMatchObject({ base: 2 })
})

const fillStorage = () =>
  Object.assign(Object.getPrototypeOf(storage) as object, {
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })

test('without room for a draft in the browser, a pause of two seconds saves', async () => {
  fillStorage()
  const editing = edit()
  editing.change('one two')
  await vi.advanceTimersByTimeAsync(400)
  expect([editing.state.get().draftKept, editing.isAtRisk]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(bodies()).toMatchObject([{ content: 'one two' }])
  expect(editing.isAtRisk).toBe(false)
})

test('a text that is too long for a closing page is saved when the page is out of sight, and else stays a draft', async () => {
  const long = 'ü'.repeat(31_000)
  const editing = edit()
  editing.change(long)
  editing.leave()
  expect(network.posts).toEqual([])
  expect(Object.values(storage)).toEqual([expect.stringContaining(long)])
  editing.hide()
  await vi.advanceTimersByTimeAsync(0)
  expect(bodies()).toMatchObject([{ content: long, base: 1 }])
})

test('without room for a draft, what is typed during a save is saved soon after it, and a refused text only once', async () => {
  fillStorage()
  let answer = (_: RestAnswer) => undefined as void
  network.reply = () => new Promise((resolve) => (answer = resolve))
  const editing = edit()
  editing.change('one two')
  void editing.save()
  editing.change('one two three')
  await vi.advanceTimersByTimeAsync(400)
  answer(saveReply(2, 'one two'))
  network.reply = () => [413, { error: { code: 'too_large', message: 'Too long.' } }]
  await vi.advanceTimersByTimeAsync(2_400)
  expect(bodies()).toMatchObject([{ content: 'one two' }, { content: 'one two three', base: 2 }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.posts).toHaveLength(2)
})

test('a page that comes back sends nothing beside what it sent when it went away', async () => {
  let answer = (_: RestAnswer) => undefined as void
  network.reply = () => new Promise((resolve) => (answer = resolve))
  const editing = edit()
  editing.change('one two')
  editing.leave()
  editing.change('one two three')
  const saving = editing.save()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(network.posts).toHaveLength(1)
  network.reply = ({ body }) => saveReply(3, String(body.content))
  answer(saveReply(2, 'one two'))
  expect(await saving).toBe(true)
  expect(bodies()[1]).toMatchObject({ content: 'one two three', base: 2 })
})

test('a page that goes away sends what it has and keeps its draft, which makes no second version', async () => {
  const editing = edit()
  editing.change('one two')
  network.reply = () => new Promise(() => undefined)
  editing.leave()
  expect(bodies()).toMatchObject([{ content: 'one two', base: 1 }])
  const again = await nextPage(2, 'one two')
  network.reply = () => [200, { version: { number: 2 }, content: 'one two', merged: false }]
  await vi.advanceTimersByTimeAsync(2_400)
  expect(again.state.get()).toMatchObject({ base: 2, text: 'one two', save: 'saved' })
  expect(Object.keys(storage)).toEqual([])
})

test('what is typed while a save is on its way is saved after it, on top of it', async () => {
  const editing = edit()
  let answer = (_: RestAnswer) => undefined as void
  network.reply = () => new Promise((resolve) => (answer = resolve))
  editing.change('one A')
  const first = editing.save()
  editing.change('one A and B')
  expect(editing.state.get().save).toBe('saving')
  answer(saveReply(2, 'one A'))
  await first
  expect(editing.state.get()).toMatchObject({ base: 2, text: 'one A and B', save: 'unsaved' })
})

test('a merged answer joins what was typed meanwhile', async () => {
  const editing = edit('first\nlast\n')
  let answer = (_: RestAnswer) => undefined as void
  network.reply = () => new Promise((resolve) => (answer = resolve))
  editing.change('first!\nlast\n')
  const first = editing.save()
  editing.change('first!\nlast\nmine\n')
  answer(saveReply(3, 'theirs\nfirst!\nlast\n'))
  await first
  expect(editing.state.get()).toMatchObject({ base: 3, text: 'theirs\nfirst!\nlast\nmine\n', save: 'unsaved' })
})

test('a newer version is taken over, but never over what is unsaved', () => {
  const editing = edit()
  editing.adoptNewer(2, 'two')
  expect(editing.state.get()).toMatchObject({ base: 2, text: 'two' })
  editing.change('two, mine')
  editing.adoptNewer(3, 'three')
  expect(editing.state.get()).toMatchObject({ base: 2, text: 'two, mine' })
})

test('a version made of the saved text joins what was typed since, and counts once', async () => {
  const editing = edit('hot tea\n')
  await Promise.all([editing.rebaseOnto({ version: { number: 2 }, content: 'cold tea\n' }), editing.adoptNewer(2, 'cold tea\n')])
  expect(editing.state.get()).toMatchObject({ base: 2, text: 'cold tea\n', save: 'saved' })
  editing.change('cold tea\nand cake\n')
  await editing.rebaseOnto({ version: { number: 3 }, content: 'iced tea\n' })
  expect(editing.state.get()).toMatchObject({ base: 3, text: 'iced tea\nand cake\n', save: 'unsaved' })
})

test('a failure keeps the text, says why, and tries again', async () => {
  const editing = edit()
  network.reply = () => 'offline'
  editing.change('one two')
  expect(await editing.save()).toBe(false)
  expect(editing.state.get()).toMatchObject({ text: 'one two', save: 'failed', reason: expect.stringContaining('cannot be reached') as string })
  network.reply = () => saveReply(2, 'one two')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(editing.state.get().save).toBe('saved')
})

test('a refusal is not tried again', async () => {
  const editing = edit()
  network.reply = () => [413, { error: { code: 'too_large', message: 'Too long.' } }]
  editing.change('one two')
  await editing.save()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.posts).toHaveLength(1)
  expect(editing.state.get()).toMatchObject({ save: 'failed', reason: 'Too long.' })
})

test('a conflict waits for the member, and its outcome follows the latest version', async () => {
  const editing = edit()
  network.reply = () => conflict
  editing.change('mine')
  await editing.save()
  expect(editing.state.get()).toMatchObject({ text: 'mine', save: 'conflict' })
  network.reply = () => saveReply(5, 'both')
  expect(await editing.resolve('both')).toBe(true)
  expect(bodies().at(-1)).toEqual({ content: 'both', base: 4, autosave: false, operation: 'merge' })
  expect(editing.state.get()).toMatchObject({ base: 5, save: 'saved', conflict: null })
})

/** The page after a reload, or another one that opens the artifact later. */
async function nextPage(number: number, text: string): Promise<EditingType> {
  vi.resetModules()
  const [editing, draft] = await Promise.all([import('./editSession'), import('./draft')])
  const next = new editing.EditSession('a', number, text, () => undefined)
  draft.recoverAbandonedDrafts('a', (left) => next.applyDraft(left))
  await vi.advanceTimersByTimeAsync(0)
  return next
}

test('unsaved text survives a reload with its base, saved text leaves nothing behind', async () => {
  const editing = edit()
  network.reply = () => 'offline'
  editing.change('one two')
  await vi.advanceTimersByTimeAsync(400)

  const again = await nextPage(2, 'newer')
  expect(again.state.get()).toMatchObject({ base: 1, text: 'one two', save: 'unsaved' })
  network.reply = () => saveReply(3, 'newer, one two')
  await again.save()
  expect(Object.keys(storage)).toEqual([])
})

test('a reload during a conflict with an agent comes back to the conflict', async () => {
  const editing = edit()
  editing.adoptNewer(4, 'theirs')
  editing.showConflict(sides)
  editing.keepDraft()
  network.reply = () => conflict
  const again = await nextPage(4, 'theirs')
  await again.save()
  expect(bodies()).toEqual([{ content: 'mine', base: 1, autosave: true }])
  expect(again.state.get()).toMatchObject({ text: 'mine', save: 'conflict' })
})

test('what is typed while a conflict is on its way is part of the conflict', async () => {
  const editing = edit()
  let answer = (_: RestAnswer) => undefined as void
  network.reply = () => new Promise((resolve) => (answer = resolve))
  editing.change('mine')
  const first = editing.save()
  editing.change('mine, and more')
  answer(conflict)
  await first
  network.reply = () => conflict
  await vi.advanceTimersByTimeAsync(0)
  expect(bodies().at(-1)).toMatchObject({ content: 'mine, and more', base: 1 })
  expect(editing.state.get()).toMatchObject({ text: 'mine, and more', save: 'conflict' })
})

test('what several tabs left behind is saved one after the other, the newest first', async () => {
  network.reply = () => 'offline'
  const first = edit()
  first.change('one, typed first')
  await vi.advanceTimersByTimeAsync(400)
  vi.resetModules()
  const other = new (await import('./editSession')).EditSession('a', 1, 'one', () => undefined)
  other.change('one, typed last')
  await vi.advanceTimersByTimeAsync(400)
  expect(Object.keys(storage)).toHaveLength(2)

  const next = await nextPage(1, 'one')
  expect(next.state.get().text).toBe('one, typed last')
  network.reply = ({ body }) => saveReply(network.posts.length, String(body.content))
  await next.save()
  await vi.advanceTimersByTimeAsync(0)
  expect(next.state.get()).toMatchObject({ base: 1, text: 'one, typed first' })
  await next.save()
  await vi.advanceTimersByTimeAsync(0)
  expect(Object.keys(storage)).toEqual([])
})

test('a text that a tab left behind is never out of the storage, though it holds only one', async () => {
  const editing = edit()
  editing.change('one two')
  editing.keepDraft()
  const put = storage.setItem as unknown as (key: string, value: string) => string
  const setItem = (key: string, value: string) => {
    if (Object.keys(storage).some((other) => other !== key)) throw new DOMException('full', 'QuotaExceededError')
    put(key, value)
  }
  Object.assign(Object.getPrototypeOf(storage) as object, { setItem })
  const next = await nextPage(1, 'one')
  expect(next.state.get()).toMatchObject({ text: 'one two', save: 'unsaved' })
  expect(Object.values(storage)).toEqual([expect.stringContaining('one two')])
  await next.save()
  expect(Object.keys(storage)).toEqual([])
})

test('what a tab that is still open has typed stays its own until it is gone', async () => {
  const released: (() => void)[] = []
  const request = (name: string, then: () => unknown) => (name.startsWith('parley-draft:') && released.push(then as () => void), Promise.resolve())
  const editing = edit()
  editing.change('one two')
  editing.keepDraft()
  vi.stubGlobal('navigator', { locks: { request } })
  const next = await nextPage(1, 'one')
  expect(next.state.get()).toMatchObject({ text: 'one', save: 'saved' })
  released.forEach((release) => release())
  await vi.advanceTimersByTimeAsync(0)
  expect(next.state.get().text).toBe('one two')
})

test('after a sign-out nothing is written back', async () => {
  const { forgetDrafts } = await import('../../browser/drafts')
  const editing = edit()
  editing.change('secret')
  forgetDrafts()
  editing.keepDraft()
  expect(Object.keys(storage)).toEqual([])
})

test('what is typed while the page waits to write with others stays unsaved when it is not let in', async () => {
  const editing = edit()
  editing.change('one two')
  editing.leaveLive()
  expect(editing.state.get()).toMatchObject({ save: 'unsaved', text: 'one two' })
  await editing.save()
  expect(bodies()).toMatchObject([{ content: 'one two', base: 1 }])
})
