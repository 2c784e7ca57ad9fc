// The messages between the page, the frame and the worker of the Python console.

export type MountedFile = { readonly name: string; readonly bytes: Uint8Array }
export type Stream = 'out' | 'err'
export type Chunk = { readonly stream: Stream; readonly text: string }

/** Who or what stopped a program: the user, the time limit, or the limit of its output. The page says it in words. */
export type StopReason = 'user' | 'time' | 'output'

/** How a program ended. `line`: in the member's own file; 0 if the error is in no line of it. */
export type Outcome =
  | { readonly status: 'ok'; readonly value: string | null }
  | { readonly status: 'error'; readonly traceback: string; readonly line: number }
  | { readonly status: 'stopped'; readonly reason: StopReason }

export type ToFrame =
  | { readonly type: 'start' }
  | { readonly type: 'files'; readonly files: readonly MountedFile[] }
  | { readonly type: 'run'; readonly code: string; /** Figures are drawn for a dark page. */ readonly dark: boolean }
  | { readonly type: 'input'; readonly text: string | null }
  | { readonly type: 'stop' }

export type FromFrame =
  | { readonly type: 'starting' }
  | { readonly type: 'ready'; readonly canInterrupt: boolean }
  /** Packages that the program imports are loaded: their names with commas, and how much of them is there. */
  | { readonly type: 'loading'; readonly packages: string; readonly percent: number | undefined }
  | { readonly type: 'began' }
  | { readonly type: 'output'; readonly chunks: readonly Chunk[] }
  | { readonly type: 'picture'; readonly png: string }
  | { readonly type: 'input' }
  | ProgramEnd
  | { readonly type: 'failed'; readonly message: string }

/** The program ended. `memoryMb`: what Python takes then. */
type ProgramEnd = { readonly type: 'done'; readonly outcome: Outcome; readonly ms: number; readonly memoryMb?: number | undefined }

export type ToWorker =
  | {
      readonly type: 'init'
      readonly index: string
      readonly interrupt: SharedArrayBuffer | undefined
      readonly snapshot: ArrayBuffer | undefined
    }
  | { readonly type: 'files'; readonly files: readonly MountedFile[] }
  | { readonly type: 'run'; readonly code: string; readonly dark: boolean }
  | { readonly type: 'input'; readonly text: string | null }
  | { readonly type: 'stop' }

export type FromWorker =
  | { readonly type: 'snapshot'; readonly snapshot: ArrayBuffer }
  | { readonly type: 'ready' }
  | { readonly type: 'loading'; readonly packages: string; readonly percent: number | undefined }
  /** The imports of the program are loaded, and it starts to run. */
  | { readonly type: 'began' }
  | { readonly type: 'chunk'; readonly chunk: Chunk }
  | { readonly type: 'full' }
  | { readonly type: 'stopping' }
  | { readonly type: 'picture'; readonly png: string }
  | { readonly type: 'input' }
  | ProgramEnd
  | { readonly type: 'failed'; readonly message: string }
