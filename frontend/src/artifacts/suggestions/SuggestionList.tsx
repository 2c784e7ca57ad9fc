// Suggestions of agents for a text: where they apply, and the member's decisions.
import { useMemo, useState } from 'react'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Check, ChevronDown, ChevronUp, X } from 'lucide-react'
import type { SuggestionItem } from '../../api/generated'
import type { DisplayedDocument } from '../viewProps'
import { anchorSuggestion } from './anchors'
import { decideSuggestions } from './decideSuggestions'

type Props = { document: DisplayedDocument; onShow?: (id: string) => void }

/** The agent's suggestions below the text. The member accepts or rejects each. */
export function SuggestionList({ document, onShow }: Props) {
  const { t } = useLingui()
  const [open, setOpen] = useState(true)
  const { entry, text, editing } = document
  const fits = useMemo(() => fittingIds(text, entry.suggestions), [entry.suggestions, text])
  if (entry.suggestions.length === 0 || !editing) return null
  const Arrow = open ? ChevronDown : ChevronUp
  const count = entry.suggestions.length
  const all = (decision: 'accept' | 'reject') => void decideSuggestions(editing, 'all', decision)
  return (
    <section aria-label={t`Suggestions`} className="flex max-h-[45%] shrink-0 flex-col border-t border-line bg-side">
      <header className="flex min-h-10 shrink-0 flex-wrap items-center gap-1.5 px-3 py-1">
        <button type="button" className="ghost -ms-1.5" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Arrow className="size-3.5" aria-hidden />
          <Plural value={count} one="# suggestion" other="# suggestions" />
        </button>
        <span className="ms-auto" />
        <button type="button" className="btn" disabled={fits.size === 0} onClick={() => all('accept')}>
          <Trans>Accept all</Trans>
        </button>
        <button type="button" className="btn" onClick={() => all('reject')}>
          <Trans>Reject all</Trans>
        </button>
      </header>
      {open && <Cards document={document} fits={fits} onShow={onShow} />}
    </section>
  )
}

/** Those whose words are still in the text. The others are outdated: they can only be rejected. */
const fittingIds = (text: string | null, suggestions: readonly SuggestionItem[]): ReadonlySet<string> =>
  new Set(suggestions.filter((one) => anchorSuggestion(text ?? '', one)).map(({ id }) => id))

function Cards({ document: { entry, editing }, fits, onShow }: Props & { fits: ReadonlySet<string> }) {
  const { t } = useLingui()
  return (
    <ul className="min-h-0 space-y-2 overflow-y-auto px-3 pb-3" tabIndex={0} aria-label={t`List of suggestions`}>
      {entry.suggestions.map((suggestion) => (
        <Card
          key={suggestion.id}
          suggestion={suggestion}
          fits={fits.has(suggestion.id)}
          onShow={onShow}
          onDecide={async (decision) => editing && decideSuggestions(editing, [suggestion.id], decision)}
        />
      ))}
    </ul>
  )
}

type CardProps = {
  suggestion: SuggestionItem
  /** Whether the text still contains what the suggestion would change. */
  fits: boolean
  onShow: Props['onShow']
  onDecide(decision: 'accept' | 'reject'): Promise<void>
}

function Card({ suggestion, fits, onShow, onDecide }: CardProps) {
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const choose = async (decision: 'accept' | 'reject') => {
    setBusy(true)
    await onDecide(decision)
    setBusy(false)
  }
  const { id, original, replacement, comment } = suggestion
  return (
    <li className="rounded-xl border border-line bg-raise p-3 text-[13px]" data-stale={!fits}>
      <p className="line-clamp-4 break-words">
        <del className="text-fg3">{original}</del>
        {replacement && ' '}
        {replacement && <ins className="rounded bg-ok-soft px-0.5 no-underline">{replacement}</ins>}
      </p>
      {comment && <p className="mt-1.5 text-fg2">{comment}</p>}
      {!fits && <p className="mt-1.5 text-warn"><Trans>Outdated: the text has changed.</Trans></p>}
      <div className="mt-2 flex flex-wrap gap-1.5">
        <button type="button" className="btn" disabled={busy || !fits} onClick={() => void choose('accept')} title={t`Alt+Enter in the editor`}>
          <Check className="size-3.5" aria-hidden />
          <Trans>Accept</Trans>
        </button>
        <button type="button" className="btn" disabled={busy} onClick={() => void choose('reject')} title={t`Alt+Backspace in the editor`}>
          <X className="size-3.5" aria-hidden />
          <Trans>Reject</Trans>
        </button>
        {fits && onShow && (
          <button type="button" className="ghost" onClick={() => onShow(id)}>
            <Trans>Show in the text</Trans>
          </button>
        )}
      </div>
    </li>
  )
}
