import { useEffect, useId, useState } from 'react'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, RotateCcw } from 'lucide-react'
import type { ArtifactPart } from '../api/artifactTypes'
import { errorMessage, request } from '../api/client'
import type { VisitorVersion } from '../api/generated'
import { kindOf } from '../artifacts/kinds'
import { parseCsv } from '../artifacts/sheet/csv'
import { CodeBlock } from '../markdown/CodeBlock'
import { Markdown } from '../markdown/Markdown'
import { PlainText } from '../plainText/PlainText'

const MAX_ROWS = 200

/** A document that an answer made. It opens in its place, to be read. */
export function VisitorDocument({ part }: { part: Omit<ArtifactPart, 'callId'> }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const { icon: Icon } = kindOf(part.kind)
  const { version } = part
  const hasText = version !== null && part.status !== 'streaming' && part.kind !== 'image'
  const state = part.status === 'streaming' ? t`Writing…` : version === null ? t`Nothing was saved` : t`Version ${version}`
  const face = (
    <>
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-soft text-accent">
        <Icon className="size-4.5" aria-hidden />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[14px] font-semibold"><PlainText text={part.title} prose /></span>
        <span className={`block text-[12.5px] tabular-nums ${part.status === 'streaming' ? 'shimmer w-fit' : 'text-fg3'}`}>{state}</span>
      </span>
    </>
  )
  if (!hasText) return <div className="flex items-center gap-3 rounded-xl border border-line bg-raise p-2.5">{face}</div>
  return (
    <section aria-label={part.title} className="overflow-hidden rounded-xl border border-line bg-raise">
      <button type="button" className="flex w-full items-center gap-3 p-2.5 text-start hover:bg-hover focus-visible:-outline-offset-2" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {face}
        <ChevronRight className={`size-4 shrink-0 text-fg3 transition-transform ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      <div id={id} hidden={!isOpen} className="max-h-[26rem] overflow-auto border-t border-line px-3.5 py-3 outline-offset-[-2px]" tabIndex={0} role="group" aria-label={part.title}>
        {isOpen && <Content id={part.id} number={version} />}
      </div>
    </section>
  )
}

type DocumentState = { readonly version?: VisitorVersion; readonly error?: string }

function Content({ id, number }: { id: string; number: number }) {
  const [attempt, setAttempt] = useState(0)
  const [{ version, error }, setLoaded] = useState<DocumentState>({})
  useEffect(() => {
    let isStale = false
    setLoaded({})
    request<VisitorVersion>('GET', `artifacts/${id}/versions/${number}/`).then(
      (answer) => !isStale && setLoaded({ version: answer }),
      (problem: unknown) => !isStale && setLoaded({ error: errorMessage(problem) }),
    )
    return () => {
      isStale = true
    }
  }, [id, number, attempt])
  if (error)
    return (
      <div role="alert" className="alert-bad">
        <p className="min-w-0 flex-1">{error}</p>
        <button type="button" className="btn" onClick={() => setAttempt(attempt + 1)}>
          <RotateCcw className="size-3.5" aria-hidden />
          <Trans>Try again</Trans>
        </button>
      </div>
    )
  if (!version) return <p role="status" className="shimmer w-fit text-[13.5px]"><Trans>Loading…</Trans></p>
  if (version.kind === 'text') return <Markdown text={version.content} streaming={false} />
  if (version.kind === 'sheet') return <Rows csv={version.content} />
  return <CodeBlock text={version.content} info={version.kind === 'code' ? version.title.match(/\.(\w+)$/)?.[1] : version.kind} closed />
}

function Rows({ csv }: { csv: string }) {
  const [head, ...rows] = parseCsv(csv)
  const more = rows.length - MAX_ROWS
  return (
    <div className="md">
      <table>
        <thead><tr>{head?.map((cell, index) => <th key={index}>{cell}</th>)}</tr></thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row, index) => (
            <tr key={index}>{row.map((cell, column) => <td key={column}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="text-fg3"><Plural value={more} one="… and # more row" other="… and # more rows" /></p>}
    </div>
  )
}
