// Speech recognition, where the browser offers it. TypeScript's library does not know it.

export type SpeechResult = { readonly isFinal: boolean; readonly 0: { readonly transcript: string } }
export type SpeechResultEvent = { readonly resultIndex: number; readonly results: ArrayLike<SpeechResult> }

export type SpeechRecognizer = {
  lang: string
  continuous: boolean
  interimResults: boolean
  onresult: ((event: SpeechResultEvent) => void) | null
  onerror: ((event: { readonly error: string }) => void) | null
  onend: (() => void) | null
  start(): void
  stop(): void
  abort(): void
}

type SpeechGlobals = { readonly SpeechRecognition?: new () => SpeechRecognizer; readonly webkitSpeechRecognition?: new () => SpeechRecognizer }

/** What makes a recognizer; undefined where the browser has none. */
export function speechRecognizer(): (new () => SpeechRecognizer) | undefined {
  const makers = globalThis as SpeechGlobals
  return makers.SpeechRecognition ?? makers.webkitSpeechRecognition
}
