import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { MAX_MEMORY_MB, MAX_PROGRAM_S } from '../../sandbox/python/limits'
import type { Console, ConsoleEntry } from './console'
import { Figure } from './Figure'
import { useStickToEnd } from './usePython'

const COLORS = { out: 'text-fg', err: 'text-warn', note: 'text-fg3 italic', value: 'text-accent', error: 'text-bad' } as const

type Props = { console: Console; onAnswer(text: string | null): void }

export function Output({ console, onAnswer }: Props) {
  const { t } = useLingui()
  const end = useStickToEnd(console)
  const isEmpty = !console.entries.length && console.phase !== 'asking'
  return (
    <div {...end} tabIndex={0} role="region" aria-label={t`Output`} className="min-h-0 flex-1 overflow-auto px-4 py-3 font-mono text-[13px] leading-relaxed outline-offset-[-2px]">
      {isEmpty && !console.runs && (console.last ? <p className="italic text-fg3"><Trans>No output.</Trans></p> : <Welcome />)}
      {console.entries.map((entry, index) =>
        entry.kind === 'picture' ? <Figure key={index} png={entry.png} number={figureNumber(console.entries, index)} /> : <EntryView key={index} entry={entry} />,
      )}
      {console.phase === 'asking' && <Prompt onAnswer={onAnswer} />}
    </div>
  )
}

const figureNumber = (entries: readonly ConsoleEntry[], index: number): number => entries.slice(0, index + 1).filter(({ kind }) => kind === 'picture').length

function EntryView({ entry }: { entry: Exclude<ConsoleEntry, { kind: 'picture' }> }) {
  return <pre className={`whitespace-pre-wrap break-words ${COLORS[entry.kind]}`}>{entry.text}</pre>
}

function Welcome() {
  return (
    <div className="max-w-[34rem] space-y-2 font-sans text-[13.5px] text-fg3">
      <p>
        <Trans>
          Runs in your browser, without network. Limits: {MAX_PROGRAM_S} s, {MAX_MEMORY_MB} MB.
        </Trans>
      </p>
      <p>
        <Trans>
          The files of this chat are under <code className="font-mono text-[12.5px]">/files</code>.
        </Trans>
      </p>
    </div>
  )
}

/** The field for the line that `input()` waits for. */
function Prompt({ onAnswer }: { onAnswer(text: string | null): void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const onSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    onAnswer(text)
  }
  return (
    <form onSubmit={onSubmit} className="flex items-center gap-2">
      <input
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-label={t`Input for the program`}
        autoComplete="off"
        spellCheck={false}
        className="min-h-8 min-w-0 flex-1 rounded-md border border-line2 bg-raise px-2 outline-offset-1"
      />
      <button type="submit" className="btn font-sans">
        <Trans>Enter</Trans>
      </button>
    </form>
  )
}
