import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { openFrame, type Sandbox } from '../../sandbox/openFrame'
import type { FromFrame, ToFrame } from '../../sandbox/python/messages'
import { createStore, useStore, type Store } from '../../ui/store'
import { isDark } from '../../ui/theme'
import { reduceConsole, startRun, withProgram, EMPTY_CONSOLE, type Console } from './console'
import { loadFiles, type AttachedFile } from './files'

/** The Python of one console. Its frame opens when Python is first needed, and closes with the component. */
class PythonSession {
  readonly console: Store<Console> = createStore(EMPTY_CONSOLE)
  private frame: Sandbox | undefined
  private mountedFiles = ''
  private hasAnswered = false
  private runs = 0

  warmUp(): void {
    this.post({ type: 'start' })
  }

  async run(code: string, files: readonly AttachedFile[]): Promise<void> {
    this.console.set(startRun(this.console.get(), code))
    this.warmUp()
    const run = ++this.runs
    const isWanted = () => run === this.runs && this.console.get().runs
    await this.mount(files, isWanted)
    if (isWanted()) this.post({ type: 'run', code, dark: isDark() })
  }

  stop(): void {
    if (!this.hasAnswered) return this.closeUnanswered()
    this.console.patch({ phase: 'stopping' })
    this.post({ type: 'stop' })
  }

  answer(text: string | null): void {
    this.console.patch({ phase: 'running' })
    this.post({ type: 'input', text })
  }

  clear(): void {
    this.console.patch({ entries: [], last: null, fixing: false })
  }

  /** The assistant was asked to fix the last error. */
  awaitFix(): void {
    this.console.patch({ fixing: true })
  }

  /** This is the program now. */
  show(code: string): void {
    const now = this.console.get()
    const next = withProgram(now, code)
    if (next !== now) this.console.set(next)
  }

  close(): void {
    this.frame?.close()
    this.frame = undefined
    this.hasAnswered = false
    this.mountedFiles = ''
  }

  /** The frame has not loaded yet, so it would not receive a stop. */
  private closeUnanswered(): void {
    this.close()
    const stopped = reduceConsole(this.console.get(), { type: 'done', outcome: { status: 'stopped', reason: 'user' }, ms: 0 })
    this.console.set({ ...stopped, phase: 'off' })
  }

  private post(message: ToFrame): void {
    this.frame ??= openFrame('python', t`Python runner`, (from) => this.receive(from as FromFrame))
    this.frame.post(message)
  }

  private receive(message: FromFrame): void {
    this.hasAnswered = true
    this.console.set(reduceConsole(this.console.get(), message))
  }

  /** Fetches the files once for each set of files, not for each run. Their addresses change every five minutes, so they are not compared as a whole. */
  private async mount(files: readonly AttachedFile[], isWanted: () => boolean): Promise<void> {
    const names = JSON.stringify(files.map(({ name, url }) => [name, url.split('?')[0]]))
    if (names === this.mountedFiles || (!files.length && !this.mountedFiles)) return
    const { files: contents, missing } = await loadFiles(files)
    if (!isWanted()) return // stopped meanwhile
    this.mountedFiles = missing.length ? '' : names
    this.post({ type: 'files', files: contents })
    const { entries } = this.console.get()
    const missed = missing.join(', ')
    const text = t`Not available under /files: ${missed}`
    if (missing.length) this.console.patch({ entries: [...entries, { kind: 'note', text }] })
  }
}

export function usePython(): [PythonSession, Console] {
  const [session] = useState(() => new PythonSession())
  useEffect(() => () => session.close(), [session])
  return [session, useStore(session.console)]
}

/** Keeps the end of a growing box in view while the reader is at the end. */
export function useStickToEnd(changed: unknown) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    atEnd.current = scrollHeight - scrollTop - clientHeight < 40
  }
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [changed])
  return { ref: box, onScroll }
}
