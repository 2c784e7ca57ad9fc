import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { DESKTOP, useMedia } from '../browser/useMedia'
import { short, sumOf, tokensOf } from './figures'
import { money } from './money'
import type { Column } from './period'

const HEIGHT = 284
/** The picture is drawn smaller on a phone, so that its words stay readable. */
const WIDTHS = { desktop: 680, phone: 340 } as const
const LEFT = 58
const BOTTOM = 24
const TOP = 10
const LINES = 4
const LABEL_PX = 76
export const FILLS = ['fill-accent', 'fill-ok', 'fill-warn', 'fill-bad', 'fill-fg3'] as const
export const SWATCHES = ['bg-accent', 'bg-ok', 'bg-warn', 'bg-bad', 'bg-fg3'] as const
export const colourOf = (models: readonly string[], model: string): number => Math.min(models.indexOf(model), FILLS.length - 1)

/** `measure`: cost, or tokens where some price is not known: it would be drawn as 0. */
type Props = { columns: readonly Column[]; models: readonly string[]; measure: 'cost' | 'tokens'; title: string }

const format = (value: number, measure: Props['measure']): string => (measure === 'cost' ? money(value) : short(Math.round(value)))
const valueOf = (column: Column, model: string, measure: Props['measure']): number => {
  const sum = sumOf(column.days.filter((day) => day.model === model))
  return measure === 'cost' ? (sum.costUsd ?? 0) : tokensOf(sum)
}

/** The next round number: 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power
}

/** Where the words about a bar stand: at its side with more room, so that they follow it and never cover it. */
function besideBar(x: number, slot: number, width: number): { left: string } | { right: string } {
  return x + slot / 2 < (LEFT + width) / 2 ? { left: `${(100 * (x + slot)) / width}%` } : { right: `${100 - (100 * x) / width}%` }
}

/** Stacked bars. Arrow keys walk through them, and the same figures are a table for screen readers. */
export function UsageChart({ columns, models, measure, title }: Props) {
  const [columnIndex, setColumnIndex] = useState<number | null>(null)
  const width = WIDTHS[useMedia(DESKTOP) ? 'desktop' : 'phone']
  const stacks = columns.map((column) => models.map((model) => valueOf(column, model, measure)))
  const most = Math.max(...stacks.map((stack) => stack.reduce((sum, value) => sum + value, 0)), 0)
  const top = most > 0 ? roundUp(most) : 1
  const slot = (width - LEFT) / columns.length
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const every = Math.ceil((columns.length * LABEL_PX) / (width - LEFT))
  const move = (event: React.KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (!step) return
    event.preventDefault()
    setColumnIndex(Math.min(columns.length - 1, Math.max(0, (columnIndex ?? (step > 0 ? -1 : columns.length)) + step)))
  }
  const column = columnIndex === null ? undefined : columns[columnIndex]
  return (
    <div className="relative" onMouseLeave={() => setColumnIndex(null)}>
      <div tabIndex={0} role="img" aria-label={t`${title}. Use the arrow keys to go from bar to bar.`} onKeyDown={move} onBlur={() => setColumnIndex(null)} className="rounded-lg">
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} className="w-full" aria-hidden>
          {Array.from({ length: LINES + 1 }, (_, index) => (
            <g key={index}>
              <line x1={LEFT} x2={width} y1={y((top * index) / LINES)} y2={y((top * index) / LINES)} className="stroke-line" strokeWidth="1" />
              <text x={LEFT - 8} y={y((top * index) / LINES) + 4} textAnchor="end" className="fill-fg3 text-[11px]">
                {format((top * index) / LINES, measure)}
              </text>
            </g>
          ))}
          {stacks.map((stack, index) => {
            const below = stack.map((_, place) => stack.slice(0, place).reduce((sum, value) => sum + value, 0))
            const x = LEFT + index * slot
            return (
              <g key={columns[index]?.key} onMouseEnter={() => setColumnIndex(index)} opacity={columnIndex === null || columnIndex === index ? 1 : 0.55}>
                <rect x={x} y={TOP} width={slot} height={HEIGHT - TOP - BOTTOM} fill="transparent" />
                {stack.map((value, place) => value > 0 && <rect key={place} x={x + slot * 0.18} width={slot * 0.64} y={y((below[place] ?? 0) + value)} height={Math.max(1, y(below[place] ?? 0) - y((below[place] ?? 0) + value) - 1)} rx={Math.min(3, slot * 0.1)} className={FILLS[colourOf(models, models[place] ?? '')] ?? FILLS[0]} />)}
                {index % every === 0 && (
                  <text x={x + slot / 2} y={HEIGHT - 6} textAnchor="middle" className="fill-fg3 text-[11px]">
                    {columns[index]?.label}
                  </text>
                )}
              </g>
            )
          })}
        </svg>
      </div>
      {column && columnIndex !== null && (
        <div role="status" className="pointer-events-none absolute top-2 w-56 max-w-[60%] rounded-xl border border-line bg-raise p-3 text-[12.5px] shadow-pop" style={besideBar(LEFT + columnIndex * slot, slot, width)}>
          <p className="font-semibold">{column.title}</p>
          {models.map((model, index) => (stacks[columnIndex]?.[index] ?? 0) > 0 && (
            <p key={model} className="mt-1 flex items-center gap-2 tabular-nums">
              <span className={`size-2.5 shrink-0 rounded-sm ${SWATCHES[colourOf(models, model)]}`} aria-hidden />
              <span className="min-w-0 truncate text-fg2">{model}</span>
              <span className="ms-auto">{format(stacks[columnIndex]?.[index] ?? 0, measure)}</span>
            </p>
          ))}
          {column.days.length === 0 && <p className="mt-1 text-fg3"><Trans>Nothing used</Trans></p>}
        </div>
      )}
      <table className="sr-only">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col"><Trans>Time</Trans></th>
            {models.map((model) => <th key={model} scope="col">{model}</th>)}
          </tr>
        </thead>
        <tbody>
          {columns.map((one, index) => one.days.length > 0 && (
            <tr key={one.key}>
              <th scope="row">{one.title}</th>
              {models.map((model, place) => <td key={model}>{format(stacks[index]?.[place] ?? 0, measure)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
