import { useEffect, useState } from 'react'
import { trustedWorkerUrl } from '../browser/trustedTypes'
import type { Grammar, Span } from './grammars'
import type { HighlightResponse, HighlightRequest } from './highlight.worker'
import workerUrl from './highlight.worker?worker&url'

type Sink = (answer: HighlightResponse) => void

const sinks = new Map<number, Sink>()
let worker: Worker | undefined
let lastId = 0

function startWorker(): Worker {
  const started = new Worker(trustedWorkerUrl(workerUrl), { type: 'module' })
  started.onmessage = ({ data }: MessageEvent<HighlightResponse>) => sinks.get(data.id)?.(data)
  return started
}

function requestHighlight(request: HighlightRequest): void {
  worker ??= startWorker()
  worker.postMessage(request)
}

/** The lines of `code` that the worker has highlighted so far. Other lines are shown plain. */
export function useHighlight(code: string, grammar: Grammar | undefined): readonly (readonly Span[])[] {
  const [id] = useState(() => ++lastId)
  const [lines, setLines] = useState<readonly (readonly Span[])[]>([])
  useEffect(() => {
    if (!grammar) return undefined
    sinks.set(id, (answer) => setLines((old) => [...old.slice(0, answer.from), ...answer.lines]))
    return () => {
      sinks.delete(id)
      requestHighlight({ id, drop: true })
    }
  }, [id, grammar])
  useEffect(() => {
    if (grammar) requestHighlight({ id, grammar, code })
  }, [id, grammar, code])
  return lines
}
