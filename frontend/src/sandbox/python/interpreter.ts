import program from './console.py?raw'
import type { FromWorker, MountedFile, Outcome, ToWorker } from './messages'
import { ProgramOutput } from './programOutput'
import { watchDownloads } from './downloads'
import { loadPython, memoryMb, type Python } from './pyodideRuntime'

export type Send = (message: FromWorker, transfer?: Transferable[]) => void
/** A line of input; undefined: the end of the input; false: the program was stopped. */
type InputLine = string | false | undefined
type RunFunction = { callPromising(code: string, dark: boolean): Promise<string> }

const FILES = '/files'
const STOPPED: Outcome = { status: 'stopped', reason: 'user' }

/** Python with the functions of console.py, which run one program after the other. */
export class Interpreter {
  private readonly output: ProgramOutput
  private readonly runFunction: RunFunction
  private readonly cancel: () => void
  private answer: ((line: InputLine) => void) | undefined
  private isRunning = false
  private isStopped = false

  constructor(
    private readonly python: Python,
    private readonly interrupt: Uint8Array | undefined,
    private readonly send: Send,
  ) {
    this.output = new ProgramOutput(send)
    python.setStdout(this.output.writerOf('out'))
    python.setStderr(this.output.writerOf('err'))
    python.setStdin({ stdin: () => undefined })
    if (interrupt) python.setInterruptBuffer(interrupt)
    const scope = python.toPy({}) as { get(name: string): unknown }
    python.runPython(program, { globals: scope as never })
    const prepare = scope.get('prepare') as (ask: () => Promise<InputLine>, show: (png: string) => void) => void
    prepare(() => this.askForInput(), (png) => this.output.showPicture(png))
    this.runFunction = scope.get('run') as RunFunction
    this.cancel = scope.get('cancel') as () => void
  }

  mount(files: readonly MountedFile[]): void {
    const { FS } = this.python
    FS.mkdirTree(FILES)
    for (const { name, bytes } of files) FS.writeFile(`${FILES}/${name}`, bytes)
    FS.chdir(FILES)
  }

  async run(code: string, dark: boolean): Promise<void> {
    this.output.reset()
    if (this.interrupt) this.interrupt[0] = 0
    const startedAt = performance.now()
    this.isStopped = false
    await this.loadImports(code)
    const outcome = this.isStopped ? STOPPED : await this.outcomeOf(code, dark)
    this.send({ type: 'done', outcome, ms: Math.round(performance.now() - startedAt), memoryMb: memoryMb(this.python) })
  }

  reply(line: InputLine): void {
    this.answer?.(line)
    this.answer = undefined
  }

  /** Handles a stop. The worker reads it only while the program awaits something, so it ends that wait. A program that has not started does not start. */
  stop(): void {
    this.send({ type: 'stopping' })
    if (this.answer) this.reply(false)
    else if (this.isRunning) this.cancel()
    else this.isStopped = true
  }

  private askForInput(): Promise<InputLine> {
    return new Promise((resolve) => {
      this.answer = resolve
      this.send({ type: 'input' })
    })
  }

  /** Loads the packages of this server that the program imports. If one cannot be loaded, the import in the program fails. */
  private async loadImports(code: string): Promise<void> {
    let packages = ''
    const tell = (percent?: number) => packages && this.send({ type: 'loading', packages, percent })
    const messageCallback = (text: string) => {
      const names = /^Loading (.+)$/.exec(text)?.[1]
      if (!names) return // what else it says would take the percentage away
      packages = names
      tell()
    }
    const endWatch = watchDownloads(tell)
    await this.python.loadPackagesFromImports(code, { messageCallback, errorCallback: () => undefined }).catch(() => undefined)
    endWatch()
  }

  private async outcomeOf(code: string, dark: boolean): Promise<Outcome> {
    this.send({ type: 'began' })
    this.isRunning = true
    try {
      return JSON.parse(await this.runFunction.callPromising(code, dark)) as Outcome
    } catch (error) {
      return { status: 'error', traceback: String(error), line: 0 }
    } finally {
      this.isRunning = false
    }
  }
}

/** Loads Python. The first start sends a snapshot of its memory, from which the next one is faster. */
export async function startInterpreter(message: ToWorker & { type: 'init' }, send: Send): Promise<Interpreter> {
  const python = await loadPython(message)
  if (!message.snapshot) sendSnapshot(python, send)
  return new Interpreter(python, message.interrupt && new Uint8Array(message.interrupt), send)
}

function sendSnapshot(python: Python, send: Send): void {
  const snapshot = python.makeMemorySnapshot().slice().buffer
  send({ type: 'snapshot', snapshot }, [snapshot])
}
