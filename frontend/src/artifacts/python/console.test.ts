import { describe, expect, it } from 'vitest'
import type { FromFrame } from '../../sandbox/python/messages'
import { reduceConsole, startRun, EMPTY_CONSOLE, errorLineOf, consoleProgress, consoleStatus, fixableError, withProgram } from './console'
import { mountNames } from './files'

const out = (text: string): FromFrame => ({ type: 'output', chunks: [{ stream: 'out', text }] })
const ready: FromFrame = { type: 'ready', canInterrupt: true }
const played = (...messages: FromFrame[]) => messages.reduce(reduceConsole, startRun(EMPTY_CONSOLE, 'print(1)'))
const PNG = 'iVBORw0KGgoAAAANSUhEUg=='

describe('the console', () => {
  it('starts Python with the first run, and shows output, pictures and the value in their order', () => {
    expect(consoleStatus(played())).toBe('Starting Python…')
    expect(consoleStatus(played(ready))).toBe('Running…')
    const done: FromFrame = { type: 'done', outcome: { status: 'ok', value: '2' }, ms: 1234 }
    const state = played(ready, out('a'), out('b\n'), { type: 'picture', png: PNG }, out('c'), done)
    expect(state.entries).toEqual([{ kind: 'out', text: 'ab\n' }, { kind: 'picture', png: PNG }, { kind: 'out', text: 'c' }, { kind: 'value', text: '2' }])
    expect(consoleStatus(state)).toBe('Finished in 1.2 s')
  })

  it('says how much of the packages is there, how long the program runs, and what memory it took', () => {
    const loading = (percent?: number): FromFrame => ({ type: 'loading', packages: 'pandas, numpy', percent })
    expect(consoleProgress(played(ready, loading()), 3000)).toBe('')
    expect(consoleProgress(played(ready, loading(41)), 3000)).toBe('Loading pandas, numpy, 41%')
    expect(consoleProgress(played(ready, loading('<b>' as never)), 3000)).toBe('')
    const running = played(ready, loading(41), { type: 'began' })
    expect([consoleProgress(running, 900), consoleProgress(running, 4210)]).toEqual(['', 'Running, 4.2 s'])
    expect(consoleProgress(reduceConsole(running, { type: 'input' }), 4210)).toBe('')
    const done = (memoryMb: unknown): FromFrame => ({ type: 'done', outcome: { status: 'ok', value: null }, ms: 840, memoryMb: memoryMb as number })
    expect(consoleStatus(reduceConsole(running, done(96)))).toBe('Finished in 840 ms · 96 of 512 MB')
    expect(consoleStatus(reduceConsole(running, done('much')))).toBe('Finished in 840 ms')
  })

  it('names the line of an error until the program is changed', () => {
    const failed = played(ready, { type: 'done', outcome: { status: 'error', traceback: 'ValueError', line: 3 }, ms: 5 })
    expect([consoleStatus(failed), failed.last?.traceback]).toEqual(['Error in line 3', 'ValueError'])
    expect([errorLineOf(failed, 'print(1)'), errorLineOf(failed, 'print(2)')]).toEqual([3, null])
    expect(errorLineOf(startRun(failed, 'print(1)'), 'print(1)')).toBeNull()
  })

  it('offers a fix once, and forgets the error when the fixed program arrives', () => {
    const failed = played(ready, { type: 'done', outcome: { status: 'error', traceback: 'ValueError', line: 3 }, ms: 5 })
    expect([fixableError(failed, 'print(1)'), fixableError(failed, 'print(2)')]).toEqual(['ValueError', ''])
    const state = { ...failed, fixing: true }
    expect([fixableError(state, 'print(1)'), consoleStatus(state)]).toEqual(['', 'Asked the assistant to fix it'])
    expect(withProgram(state, 'print(1)')).toBe(state)
    expect(withProgram(state, 'print(2)')).toMatchObject({ entries: [], last: null, fixing: false })
    expect(withProgram(failed, 'print(2)')).toBe(failed)
  })

  it('keeps the result of a program that ended while its stop was on the way', () => {
    const stopped: FromFrame = { type: 'done', outcome: { status: 'stopped', reason: 'user' }, ms: 0 }
    const state = played(ready, { type: 'done', outcome: { status: 'ok', value: null }, ms: 7 }, stopped)
    expect([state.entries, consoleStatus(state)]).toEqual([[], 'Finished in 7 ms'])
  })

  it.each([
    ['user', 'Stopped.'],
    ['time', 'Stopped after 60 seconds, the longest a program may run.'],
    ['output', 'Stopped: the program wrote too much (the limit is 500 kB).'],
  ] as const)('says why a program was stopped: %s', (reason, text) => {
    expect(played(ready, { type: 'done', outcome: { status: 'stopped', reason }, ms: 5 }).entries).toEqual([{ kind: 'note', text }])
  })

  it('can be used again after Python did not start', () => {
    const failed = played({ type: 'failed', message: 'no network' })
    expect([failed.runs, failed.entries]).toEqual([false, [{ kind: 'note', text: 'Python did not start: no network' }]])
    expect(consoleStatus(startRun(failed, 'print(1)'))).toBe('Starting Python…')
  })

  it.each([{ type: 'picture', png: 'https://elsewhere.example/x.png' }, { type: 'output', chunks: [{ stream: 'out', text: { html: '<b>' } }] }, { type: 'else' }])(
    'takes no notice of what the frame should not say: %o',
    (message) => {
      const before = played(ready)
      expect(reduceConsole(before, message as unknown as FromFrame).entries).toEqual(before.entries)
    },
  )
})

describe('the names under /files', () => {
  it.each([
    [['a.csv', 'b'], ['a.csv', 'b']],
    [['a.csv', 'a.csv', 'a.csv'], ['a.csv', 'a (2).csv', 'a (3).csv']],
    [['../../etc/passwd', '..', ''], ['.._.._etc_passwd', '_', '_ (2)']],
    [['.profile', '.profile'], ['.profile', '.profile (2)']],
  ])('%j are mounted as %j', (names, mounted) => expect(mountNames(names)).toEqual(mounted))
})
