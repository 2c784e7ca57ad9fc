// The worker that runs Pyodide inside the sandboxed frame. It is built as one file, because the frame starts it from a blob as a classic worker.
import { startInterpreter, type Interpreter, type Send } from './interpreter'
import type { ToWorker } from './messages'

const send: Send = (message, transfer = []) => self.postMessage(message, { transfer })
const started: { interpreter?: Interpreter } = {}

async function start(message: ToWorker & { type: 'init' }): Promise<void> {
  started.interpreter = await startInterpreter(message, send)
  send({ type: 'ready' })
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  const { interpreter } = started
  if (data.type === 'init') start(data).catch((error: unknown) => send({ type: 'failed', message: String(error) }))
  else if (data.type === 'files') interpreter?.mount(data.files)
  else if (data.type === 'run') void interpreter?.run(data.code, data.dark)
  else if (data.type === 'input') interpreter?.reply(data.text ?? undefined)
  else interpreter?.stop()
}
