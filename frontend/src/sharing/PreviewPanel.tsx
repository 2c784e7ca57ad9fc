import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FileText, TriangleAlert } from 'lucide-react'
import type { SharePreview } from '../api/generated'
import { contentsOf } from './words'

/** What others will see, and what its owner should look at first. */
export function PreviewPanel({ preview }: { preview: SharePreview }) {
  return (
    <section aria-label={t`What others will see`}>
      <h3 className="text-[13.5px] font-semibold"><Trans>What others will see</Trans></h3>
      {preview.checks.length > 0 && <Checks preview={preview} />}
      <div className="mt-3 rounded-xl border border-line bg-raise p-3.5">
        <p className="text-[14px] font-semibold [overflow-wrap:anywhere]">{preview.title}</p>
        <p className="mt-0.5 text-[12.5px] text-fg2">{contentsOf(preview)}</p>
        <ul className="mt-3 grid grid-cols-1 gap-2">
          {preview.pieces.map((piece, index) => (
            <Piece key={index} piece={piece} />
          ))}
        </ul>
      </div>
      {preview.cut && <p className="mt-3 text-[12.5px] text-warn"><Trans>It is very long. The page shows only its beginning.</Trans></p>}
      <p className="mt-3 text-[12.5px] text-fg2"><Trans>Thinking, tool calls, files, costs and your instructions are never shared.</Trans></p>
    </section>
  )
}

function Checks({ preview: { checks } }: { preview: SharePreview }) {
  return (
    <div role="note" className="mt-3 rounded-xl bg-warn-soft p-3 text-[12.5px]">
      <p className="flex items-center gap-2 font-semibold">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {plural(checks.length, { one: '# thing to check first', other: '# things to check first' })}
      </p>
      <ul className="mt-1.5 grid gap-1">
        {checks.map(({ kind, text }) => (
          <li key={`${kind} ${text}`} className="[overflow-wrap:anywhere]">
            {checkText(kind, text)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function checkText(kind: SharePreview['checks'][number]['kind'], text: string): string {
  if (kind === 'secret') return t`Key or password: ${text}`
  return kind === 'file' ? t`File name: ${text}` : t`E-mail address: ${text}`
}

function Piece({ piece: { kind, text } }: { piece: SharePreview['pieces'][number] }) {
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
