import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FileText, TriangleAlert } from 'lucide-react'
import type { SharePreview } from '../api/generated'
import { toggleRedaction, isRedacted, redact, type Check, type Redactions } from './redactions'
import { contentsOf } from './labels'

type Props = { preview: SharePreview; hidden: Redactions; onHide(hidden: Redactions): void }

/** What others will see, and what its owner should look at first, or hide. */
export function PreviewPanel({ preview, hidden, onHide }: Props) {
  return (
    <section aria-label={t`What others will see`}>
      <h3 className="text-[13.5px] font-semibold"><Trans>What others will see</Trans></h3>
      {preview.checks.length > 0 && <Checks checks={preview.checks} hidden={hidden} onHide={onHide} />}
      <div className="mt-3 rounded-xl border border-line bg-raise p-3.5">
        <p className="text-[14px] font-semibold [overflow-wrap:anywhere]">{redact(preview.title, hidden)}</p>
        <p className="mt-0.5 text-[12.5px] text-fg2">{contentsOf(preview)}</p>
        <ul className="mt-3 grid grid-cols-1 gap-2">
          {preview.pieces.map((piece, index) => (
            <Piece key={index} kind={piece.kind} text={redact(piece.text, hidden)} />
          ))}
        </ul>
      </div>
      {preview.cut && <p className="mt-3 text-[12.5px] text-warn"><Trans>It is very long. The page shows only its beginning.</Trans></p>}
      <p className="mt-3 text-[12.5px] text-fg2"><Trans>Thinking, tool calls, files, costs and your instructions are never shared.</Trans></p>
    </section>
  )
}

function Checks({ checks, hidden, onHide }: { checks: readonly Check[] } & Omit<Props, 'preview'>) {
  return (
    <div role="note" className="mt-3 rounded-xl bg-warn-soft p-3 text-[12.5px]">
      <p className="flex items-center gap-2 font-semibold">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {plural(checks.length, { one: '# thing to check first', other: '# things to check first' })}
      </p>
      <ul className="mt-1.5 grid gap-1.5">
        {checks.map((check) => (
          <CheckRow key={`${check.kind} ${check.text}`} check={check} hidden={hidden} onHide={onHide} />
        ))}
      </ul>
    </div>
  )
}

function CheckRow({ check, hidden, onHide }: { check: Check } & Omit<Props, 'preview'>) {
  const says = checkText(check)
  const isOn = isRedacted(check, hidden)
  return (
    <li className="flex items-center gap-3">
      <span className={`min-w-0 flex-1 [overflow-wrap:anywhere] ${isOn ? 'line-through' : ''}`}>{says}</span>
      <button type="button" className="btn h-7 shrink-0 px-2.5 text-[12.5px]" aria-label={isOn ? t`Show again: ${says}` : t`Hide: ${says}`} onClick={() => onHide(toggleRedaction(check, hidden))}>
        {isOn ? <Trans>Show again</Trans> : <Trans>Hide</Trans>}
      </button>
    </li>
  )
}

function checkText({ kind, text }: Check): string {
  if (kind === 'secret') return t`Key or password: ${text}`
  return kind === 'file' ? t`File name: ${text}` : t`E-mail address: ${text}`
}

function Piece({ kind, text }: SharePreview['pieces'][number]) {
  if (kind === 'artifact')
    return (
      <li className="flex items-center gap-2 rounded-lg border border-line px-2.5 py-2 text-[12.5px] font-medium">
        <FileText className="size-4 shrink-0 text-accent" aria-hidden />
        <span className="truncate">{text}</span>
      </li>
    )
  const look = kind === 'question' ? 'ms-6 rounded-xl rounded-ee-sm bg-hover px-3 py-2' : kind === 'file' ? 'text-fg3' : 'text-fg2'
  return <li className={`line-clamp-4 text-[12.5px] [overflow-wrap:anywhere] ${look}`}>{text}</li>
}
