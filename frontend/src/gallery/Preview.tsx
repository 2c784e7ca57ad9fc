// A template as it will be, with what was typed so far. Values are coloured.
import { Suspense, useRef } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import type { TemplateDetail } from '../api/generated'
import { parseCsv } from '../artifacts/sheet/csv'
import { Markdown } from '../markdown/Markdown'
import { lazyWithRetry } from '../ui/lazyComponent'
import { inMermaid, inPython, segmentsOf, type Segment, type Values } from './placeholders'
import { END, START, useHighlights } from './useHighlights'

const DiagramFigure = lazyWithRetry(() => import('../artifacts/mermaid/DiagramFigure'))

type Props = { template: TemplateDetail; values: Values }

export function Preview({ template, values }: Props) {
  const { kind, body, placeholders } = template
  const segments = segmentsOf(body, placeholders, values)
  return (
    <div role="group" aria-label={t`Preview`} tabIndex={0} className="max-h-[27rem] min-h-40 overflow-auto rounded-xl border border-line bg-raise">
      {kind === 'text' && <DocumentPreview segments={segments} />}
      {kind === 'mermaid' && <DiagramPreview segments={segments} />}
      {kind === 'sheet' && <SheetPreview body={body} template={template} values={values} />}
      {kind === 'python' && <TextPreview segments={segments.map((one) => (one.name ? { ...one, text: inPython(one.text) } : one))} className="font-mono text-[12px] leading-[1.6]" />}
      {kind === 'prompt' && <TextPreview segments={segments} className="whitespace-pre-wrap font-sans text-[13.5px] leading-[1.6] [overflow-wrap:anywhere]" />}
    </div>
  )
}

const joinSegments = (segments: readonly Segment[], write: (segment: Segment) => string): string => segments.map((one) => (one.name ? write(one) : one.text)).join('')

function DocumentPreview({ segments }: { segments: readonly Segment[] }) {
  const root = useRef<HTMLDivElement>(null)
  const text = joinSegments(segments, ({ text: value }) => `${START}${value}${END}`)
  useHighlights(root, text)
  return (
    <div ref={root} className="template-document p-4">
      <Markdown text={text} />
    </div>
  )
}

function DiagramPreview({ segments }: { segments: readonly Segment[] }) {
  const code = joinSegments(segments, ({ text }) => inMermaid(text))
  return (
    <Suspense fallback={<div className="min-h-40" />}>
      <DiagramFigure code={code} source={<pre className="overflow-x-auto p-4 text-[12px]">{code}</pre>} />
    </Suspense>
  )
}

const Segments = ({ segments }: { segments: readonly Segment[] }) =>
  segments.map(({ text, name }, index) =>
    name === null ? (
      text
    ) : (
      <mark key={index} className="template-value">
        {text}
      </mark>
    ),
  )

function TextPreview({ segments, className }: { segments: readonly Segment[]; className: string }) {
  return (
    <pre className={`p-4 ${className}`}>
      <Segments segments={segments} />
    </pre>
  )
}

/** Each cell is filled by itself, so that a value with a comma stays in its cell. */
function SheetPreview({ body, template, values }: Props & { body: string }) {
  const [head = [], ...rows] = parseCsv(body)
  const cell = (text: string) => <Segments segments={segmentsOf(text, template.placeholders, values)} />
  return (
    <table className="w-max min-w-full border-collapse text-[12px]">
      <caption className="sr-only">
        <Trans>Sheet</Trans>
      </caption>
      <thead>
        <tr>
          {head.map((text, index) => (
            <th key={index} scope="col" className="border-b border-e border-line bg-side px-2.5 py-1.5 text-start font-semibold">
              {cell(text)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((text, column) => (
              <td key={column} className="h-7 border-b border-e border-line px-2.5 py-1.5">
                {cell(text)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
