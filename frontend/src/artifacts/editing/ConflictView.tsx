import { useState } from 'react'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ConflictSides, MergeHunk } from '../../api/generated'
import type { EditSession } from './editSession'

type Side = 'yours' | 'theirs' | 'both'
type Choices = Readonly<Record<number, Side>>

const LINES_SHOWN = 2

const joinLines = (hunk: MergeHunk, side: Side | undefined): string => {
  if (hunk.kind === 'same') return hunk.yours
  if (side === 'both') return hunk.theirs + hunk.yours
  return side === 'theirs' ? hunk.theirs : hunk.yours
}

/** The text that results from the choices. A conflict without a choice keeps the member's side. */
const outcome = (hunks: readonly MergeHunk[], choices: Choices): string => hunks.map((hunk, index) => joinLines(hunk, choices[index])).join('')

/** Shows both sides when two people changed the same lines. The member chooses for each place. Nothing is lost, because the other side is a saved version. */
export function ConflictView({ editing, conflict }: { editing: EditSession; conflict: ConflictSides }) {
  const { t } = useLingui()
  const [choices, setChoices] = useState<Choices>({})
  const [busy, setBusy] = useState(false)
  const hunks = conflict.merged
  const { number } = conflict.latest
  const open = hunks.flatMap((hunk, index) => (hunk.kind === 'conflict' ? [index] : []))
  const missing = open.filter((index) => !(index in choices)).length
  const chooseAll = (side: Side) => setChoices(Object.fromEntries(open.map((index) => [index, side])))
  const save = async () => {
    setBusy(true)
    await editing.resolve(outcome(hunks, choices))
    setBusy(false)
  }
  return (
    <section aria-label={t`Conflict`} className="flex h-full min-h-0 flex-col">
      <header className="shrink-0 space-y-2 border-b border-line bg-warn-soft px-4 py-3 text-[13px]">
        <p role="alert">
          <Trans>
            <strong className="font-semibold">Version {number} changed the same lines as you.</strong> Nothing is lost: choose what to keep at each place.
          </Trans>
        </p>
        <div className="flex flex-wrap gap-1.5">
          <button type="button" className="btn" onClick={() => chooseAll('yours')}>
            <Trans>Keep all of mine</Trans>
          </button>
          <button type="button" className="btn" onClick={() => chooseAll('theirs')}>
            <Trans>Keep all of theirs</Trans>
          </button>
          <button type="button" className="btn-primary ms-auto" disabled={busy || missing > 0} onClick={() => void save()}>
            {missing > 0 ? <Plural value={missing} one="# conflict left" other="# conflicts left" /> : <Trans>Save result</Trans>}
          </button>
        </div>
      </header>
      <ol className="min-h-0 flex-1 space-y-3 overflow-y-auto p-4" tabIndex={0} aria-label={t`The text`}>
        {hunks.map((hunk, index) => (
          <li key={index}>
            {hunk.kind === 'same' ? (
              <UnchangedText text={hunk.yours} />
            ) : (
              <Choice hunk={hunk} place={open.indexOf(index) + 1} side={choices[index]} onChoose={(side) => setChoices({ ...choices, [index]: side })} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The first and last lines between two conflicts. */
function UnchangedText({ text }: { text: string }) {
  const lines = text.replace(/\n$/, '').split('\n')
  const hidden = lines.length - 2 * LINES_SHOWN
  const excerpt = hidden > 1 ? [...lines.slice(0, LINES_SHOWN), plural(hidden, { one: '… # line that is the same …', other: '… # lines that are the same …' }), ...lines.slice(-LINES_SHOWN)] : lines
  return <pre className="px-3 font-mono text-[12.5px] break-words whitespace-pre-wrap text-fg3">{excerpt.join('\n')}</pre>
}

const SIDES = [
  { side: 'theirs', label: msg`Theirs` },
  { side: 'yours', label: msg({ message: 'Mine', context: 'conflict' }) },
  { side: 'both', label: msg`Keep both` },
] as const

function Choice({ hunk, place, side, onChoose }: { hunk: MergeHunk; place: number; side: Side | undefined; onChoose(side: Side): void }) {
  const { t } = useLingui()
  return (
    <fieldset className="overflow-hidden rounded-xl border border-line2">
      <legend className="sr-only">
        <Trans>Place {place}</Trans>
      </legend>
      <div className="grid grid-cols-2 divide-x divide-line max-sm:grid-cols-1 max-sm:divide-x-0 max-sm:divide-y">
        <Text title={t`Theirs`} text={hunk.theirs} isChosen={side === 'theirs' || side === 'both'} />
        <Text title={t({ message: 'Mine', context: 'conflict' })} text={hunk.yours} isChosen={side === 'yours' || side === 'both'} />
      </div>
      <div className="flex flex-wrap gap-x-4 border-t border-line bg-side px-3 py-1.5 text-[12.5px]">
        {SIDES.map((choice) => (
          <label key={choice.side} className="flex min-h-7 items-center gap-1.5 pointer-coarse:min-h-11">
            <input type="radio" name={`place-${place}`} className="accent-accent" checked={side === choice.side} onChange={() => onChoose(choice.side)} />
            {t(choice.label)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Text({ title, text, isChosen }: { title: string; text: string; isChosen: boolean }) {
  return (
    <div className={isChosen ? 'bg-ok-soft' : ''}>
      <p className="px-3 pt-2 text-[12px] font-medium text-fg2">{title}</p>
      <pre className="px-3 pb-2 font-mono text-[12.5px] break-words whitespace-pre-wrap">{text || <span className="font-sans text-fg3"><Trans>(removed)</Trans></span>}</pre>
    </div>
  )
}
