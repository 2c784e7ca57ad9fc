// The Python console: its state, its output and its files. Python itself runs in a sandboxed frame (sandbox/python/).
import { useEffect } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Eraser, LoaderCircle, Play, Square, Wrench } from 'lucide-react'
import { useElapsed } from '../../chat/work/useElapsed'
import { consoleProgress, consoleStatus, errorLineOf, fixableError, type Console } from './console'
import type { AttachedFile } from './files'
import { Output } from './Output'
import { usePython } from './usePython'

type Props = {
  code: string
  title: string
  files: readonly AttachedFile[]
  /** Gets the line of `code` at which the last run failed; null if there is none. */
  onErrorLine(line: number | null): void
  /** Gets the traceback of the last run. Without this function there is no Fix button. */
  onFix?: ((traceback: string) => Promise<boolean>) | undefined
}

/** Runs the program in its own sandboxed frame and shows its output. */
export function PythonConsole({ code, title, files, onErrorLine, onFix }: Props) {
  const { t } = useLingui()
  const [python, console] = usePython()
  const line = errorLineOf(console, code)
  useEffect(() => onErrorLine(line), [line, onErrorLine])
  useEffect(() => python.show(code), [python, code])
  const error = fixableError(console, code)
  const fix = async () => {
    if (await onFix?.(error)) python.awaitFix()
  }
  const run = () => void python.run(code, files)
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !console.runs) run()
  }
  return (
    <section className="flex h-full min-h-0 flex-col bg-code" aria-label={t`Console: ${title}`} onKeyDown={onKeyDown}>
      <div className="flex min-h-11.5 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2">
        <RunButton console={console} onRun={run} onStop={() => python.stop()} onNear={() => python.warmUp()} />
        <button type="button" className="ghost" onClick={() => python.clear()} disabled={console.runs || !console.entries.length}>
          <Eraser className="size-3.5" aria-hidden />
          <Trans>Clear</Trans>
        </button>
        <Status console={console} />
        {onFix && error && (
          <button type="button" className="ghost text-accent" onClick={() => void fix()} title={t`Send the error to the assistant`}>
            <Wrench className="size-3.5" aria-hidden />
            <Trans>Fix</Trans>
          </button>
        )}
      </div>
      <Output console={console} onAnswer={(text) => python.answer(text)} />
    </section>
  )
}

type RunProps = { console: Console; onRun(): void; onStop(): void; onNear(): void }

/** Run or Stop, at the same place. Python starts to load when the pointer or the focus reaches the button. */
function RunButton({ console, onRun, onStop, onNear }: RunProps) {
  const { t } = useLingui()
  if (console.runs)
    return (
      <button type="button" className="btn" onClick={onStop} disabled={console.phase === 'stopping'}>
        <Square className="size-3 fill-current" aria-hidden />
        <Trans>Stop</Trans>
      </button>
    )
  return (
    <button type="button" className="btn-primary" onClick={onRun} onPointerEnter={onNear} onFocus={onNear} title={t`Run (Ctrl+Enter)`}>
      <Play className="size-3.5 fill-current" aria-hidden />
      <Trans>Run</Trans>
    </button>
  )
}

function Status({ console }: { console: Console }) {
  const isBad = !console.fixing && (console.last?.status === 'error' || console.last?.status === 'failed')
  const isBusy = console.phase === 'starting' || console.phase === 'running' || console.phase === 'stopping'
  return (
    <span role="status" className={`ms-auto flex items-center gap-1.5 px-2 text-[12.5px] tabular-nums ${isBad ? 'text-bad' : 'text-fg3'}`}>
      {isBusy && <LoaderCircle className="size-3.5 animate-spin" aria-hidden />}
      {console.runs ? <Progress key={`${console.phase === 'starting'} ${console.loading}`} console={console} /> : consoleStatus(console)}
    </span>
  )
}

/** What a screen reader hears is the state alone: the time and the percentage change too often. */
function Progress({ console }: { console: Console }) {
  const progress = consoleProgress(console, useElapsed(true) ?? 0)
  if (!progress) return consoleStatus(console)
  return (
    <>
      <span className="sr-only">{consoleStatus(console)}</span>
      <span aria-hidden>{progress}</span>
    </>
  )
}
