// Small pictures of templates, drawn from how their texts begin.
import type { ReactNode } from 'react'
import type { TemplateItem } from '../api/generated'
import { parseCsv } from '../artifacts/sheet/csv'
import { namesIn, newPlaceholder, segmentsOf } from './placeholders'
import { diagramType } from './diagramType'

/** The picture of a card. It says nothing that the card's words don't. */
export function Thumbnail({ template }: { template: TemplateItem }) {
  return (
    <span className="template-ground flex h-31.5 justify-center overflow-hidden" aria-hidden>
      {picture(template)}
    </span>
  )
}

function picture({ kind, excerpt }: TemplateItem): ReactNode {
  if (kind === 'text') return <Page>{documentLines(excerpt)}</Page>
  if (kind === 'python') return <Page>{programLines(excerpt)}</Page>
  if (kind === 'sheet') return <SheetPicture csv={excerpt} />
  if (kind === 'prompt') return <PromptPicture text={excerpt} />
  return <DiagramPicture code={excerpt} />
}

const Page = ({ children }: { children: ReactNode }) => <span className="mt-3.5 block w-39 rounded-t-[5px] border border-line2 bg-raise p-3.5">{children}</span>

const Bar = ({ width, className }: { width: number; className: string }) => <span className={`mb-1.5 block rounded-full ${className}`} style={{ width: `${Math.min(100, Math.max(12, width))}%` }} />

/** A bar for each line of Markdown: headings are dark, list items have a dot, tables are cells. */
function documentLines(text: string): ReactNode {
  const lines = text.split('\n').filter((line) => line.trim() && !/^\|[\s:|-]+\|?$/.test(line.trim()))
  return lines.slice(0, 11).map((line, index) => {
    const width = 18 + line.length * 1.4
    if (line.startsWith('# ')) return <Bar key={index} width={Math.min(width, 72)} className="h-1.5 bg-fg" />
    if (line.startsWith('#')) return <Bar key={index} width={Math.min(width, 52)} className="mt-2.5 h-1 bg-fg2" />
    if (line.startsWith('|'))
      return (
        <span key={index} className="mb-0.5 flex gap-0.5">
          {line.split('|').slice(1, 5).map((_, column) => (
            <span key={column} className="h-2 flex-1 rounded-[2px] bg-press" />
          ))}
        </span>
      )
    if (/^\s*([-*]|\d+\.) /.test(line))
      return (
        <span key={index} className="mb-1.5 flex items-center gap-1.5">
          <span className={`size-1.5 shrink-0 rounded-[2px] border border-accent ${/\[[x ]\]/.test(line) ? '' : 'bg-accent'}`} />
          <span className="block h-1 rounded-full bg-line2" style={{ width: `${Math.min(85, width)}%` }} />
        </span>
      )
    return <Bar key={index} width={width} className="h-1 bg-line2" />
  })
}

const CODE_COLOURS: readonly [RegExp, string][] = [
  [/^\s*(#|""")/, 'bg-line2'],
  [/^\s*(import|from|def|class|return|for|if|try|except)\b/, 'bg-accent'],
  [/["']/, 'bg-ok'],
]

/** A bar for each line of a program, where it is indented and as long as it is. */
function programLines(text: string): ReactNode {
  const lines = text.split('\n').filter((line) => line.trim())
  return lines.slice(0, 13).map((line, index) => {
    const colour = CODE_COLOURS.find(([form]) => form.test(line))?.[1] ?? 'bg-fg3'
    const indent = /^\s*/.exec(line)![0].length
    return <span key={index} className={`mb-1 block h-1 rounded-full opacity-75 ${colour}`} style={{ marginInlineStart: `${indent * 2}px`, width: `${Math.min(96 - indent * 2, 14 + line.trim().length * 1.3)}%` }} />
  })
}

function SheetPicture({ csv }: { csv: string }) {
  const rows = parseCsv(csv).slice(0, 7)
  return (
    <span className="mt-3.5 block w-39 overflow-hidden rounded-t-[5px] border border-line2 bg-raise">
      {rows.map((row, index) => (
        <span key={index} className={`grid grid-cols-[1.6fr_1fr_1fr_1fr] border-b border-line text-[7px] leading-none ${index === 0 ? 'bg-side font-semibold text-fg2' : 'text-fg3'}`}>
          {[0, 1, 2, 3].map((column) => (
            <span key={column} className="truncate px-1.5 py-1">
              {row[column]?.replaceAll(/\{\{|\}\}/g, '') || '\u00a0'}
            </span>
          ))}
        </span>
      ))}
    </span>
  )
}

function PromptPicture({ text }: { text: string }) {
  return (
    <span className="mt-3.5 block w-39 overflow-hidden rounded-t-[5px] border border-line2 bg-raise p-3 text-[8.5px] leading-[1.7] text-fg2">
      {segmentsOf(text.slice(0, 260), namesIn(text).map(newPlaceholder), {}).map(({ text: piece, name }, index) =>
        name === null ? (
          piece
        ) : (
          <mark key={index} className="template-value">
            {piece.toLowerCase()}
          </mark>
        ),
      )}
    </span>
  )
}

const BOX = 'fill-raise stroke-line2'

const FLOW = (
  <>
    <rect x="54" y="8" width="48" height="20" rx="6" className={BOX} />
    <path d="m78 40 26 17-26 17-26-17z" className="fill-soft stroke-accent" />
    <rect x="6" y="94" width="48" height="20" rx="6" className={BOX} />
    <rect x="102" y="94" width="48" height="20" rx="6" className={BOX} />
    <path d="M78 28v12M52 57H30v37M104 57h22v37" className="fill-none stroke-fg3" />
  </>
)

const SEQUENCE = (
  <>
    {[24, 78, 132].map((x) => (
      <g key={x}>
        <path d={`M${x} 30v90`} className="stroke-line2" strokeDasharray="3 3" />
        <rect x={x - 20} y="12" width="40" height="18" rx="5" className={BOX} />
      </g>
    ))}
    <g className="fill-none stroke-accent" strokeWidth="1.5">
      <path d="M24 48h48m-5-3 5 3-5 3M78 66h48m-5-3 5 3-5 3" />
      <path d="M132 84H84m5-3-5 3 5 3M78 102H30m5-3-5 3 5 3" strokeDasharray="4 3" />
    </g>
  </>
)

const GANTT = (
  <>
    <path d="M10 4v116M44 4v116M78 4v116M112 4v116M146 4v116" className="stroke-line" />
    <rect x="12" y="16" width="44" height="13" rx="4" className="fill-accent" />
    <rect x="40" y="38" width="58" height="13" rx="4" className="fill-accent" opacity=".55" />
    <rect x="70" y="60" width="40" height="13" rx="4" className="fill-warn" opacity=".7" />
    <rect x="92" y="82" width="50" height="13" rx="4" className="fill-accent" opacity=".35" />
    <path d="m140 102 7 7-7 7-7-7z" className="fill-bad" />
  </>
)

const STATES = (
  <>
    <circle cx="20" cy="62" r="6" className="fill-fg" />
    {[[44, 16], [44, 86], [104, 16], [104, 86]].map(([x, y]) => (
      <rect key={`${x} ${y}`} x={x} y={y} width="44" height="22" rx="11" className={BOX} />
    ))}
    <path d="M26 58 44 32M26 66l18 26M88 27h16M88 97h16M126 38v48M66 38v48" className="fill-none stroke-accent" strokeWidth="1.5" />
  </>
)

const TABLES = (
  <>
    {[[8, 14], [100, 14], [54, 70]].map(([x, y]) => (
      <g key={x}>
        <rect x={x} y={y} width="48" height="42" rx="4" className={BOX} />
        <path d={`M${x} ${y! + 12}h48`} className="stroke-line2" />
        <path d={`M${x! + 6} ${y! + 20}h28M${x! + 6} ${y! + 28}h22M${x! + 6} ${y! + 36}h26`} className="stroke-fg3" />
        <path d={`M${x! + 6} ${y! + 6}h22`} className="stroke-accent" strokeWidth="3" />
      </g>
    ))}
    <path d="M56 34h44M32 56v22h22M124 56v22h-22" className="fill-none stroke-accent" strokeWidth="1.5" />
  </>
)

const CIRCLE = (
  <>
    <circle cx="78" cy="64" r="44" className="fill-soft stroke-line2" />
    <path d="M78 64V20a44 44 0 0 1 41 60z" className="fill-accent" opacity=".7" />
    <path d="M78 64 40 86a44 44 0 0 0 66 14z" className="fill-accent" opacity=".35" />
  </>
)

const PICTURES = { flow: FLOW, sequence: SEQUENCE, gantt: GANTT, states: STATES, tables: TABLES, circle: CIRCLE }

function DiagramPicture({ code }: { code: string }) {
  return (
    <svg viewBox="0 0 156 126" className="h-full w-39">
      {PICTURES[diagramType(code)]}
    </svg>
  )
}
