// The script of the sandboxed Python frame. It passes messages between the page, the program's run and the worker in which Python runs.
import { connect } from '../connect'
import type { FromFrame, MountedFile, ToFrame } from './messages'
import { ProgramRun } from './programRun'
import { PythonWorker } from './pythonWorker'

const post = connect<ToFrame>(handlePageMessage)
const postToPage = (message: FromFrame) => post(message)

const worker = new PythonWorker({
  onStarting: () => postToPage({ type: 'starting' }),
  onReady: handleReady,
  onMessage: (message) => run.handle(message),
  onFailed: handleFailure,
})
const run = new ProgramRun(worker, postToPage)
/** The files of the conversation; a new worker gets them again. */
const mounted: { files: readonly MountedFile[] } = { files: [] }

function handlePageMessage(message: ToFrame): void {
  if (message.type === 'start') worker.startOnce()
  else if (message.type === 'files') {
    mounted.files = message.files
    if (worker.isReady) worker.post(message)
  } else if (message.type === 'run') run.run(message.code, message.dark)
  else if (message.type === 'stop') run.stop('user')
  else run.answerInput(message.text)
}

function handleReady(): void {
  worker.post({ type: 'files', files: mounted.files })
  postToPage({ type: 'ready', canInterrupt: worker.canInterrupt })
  run.runQueued()
}

function handleFailure(message: string): void {
  run.abandon()
  postToPage({ type: 'failed', message })
}
