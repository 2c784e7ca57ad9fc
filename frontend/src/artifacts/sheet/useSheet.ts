import { useMemo, useRef, useState } from 'react'
import type { ColumnWidths } from 'react-data-grid'
import { readStored, writeStored } from '../../browser/storage'
import type { Table } from './csv'
import { changeSheet, readSheet, writeSheet, type SheetSource } from './source'

/** The table of a CSV text, and what writes another one. Text that the grid itself wrote comes back and is not parsed again. */
export function useSheet(text: string): [Table, (table: Table) => string] {
  const cache = useRef<{ text: string; source: SheetSource }>(null)
  const [, redraw] = useState(0)
  if (cache.current?.text !== text) cache.current = { text, source: readSheet(text) }
  const write = (table: Table): string => {
    const source = changeSheet(cache.current!.source, table)
    cache.current = { text: writeSheet(source), source }
    redraw((times) => times + 1)
    return cache.current.text
  }
  return [cache.current.source.table, write]
}

/** How a reader looks at a sheet. `header`: null until somebody chose. Widths are in px, by the index of the column. */
type Look = { readonly header: boolean | null; readonly widths: Readonly<Record<string, number>> }

function readLook(id: string): Look {
  try {
    return { header: null, widths: {}, ...(JSON.parse(readStored(`sheet:${id}`) ?? '{}') as Partial<Look>) }
  } catch {
    return { header: null, widths: {} }
  }
}

/** The look of a sheet in this browser. It survives a reload. */
export function useLook(id: string): { header: boolean | null; setHeader(on: boolean): void; widths: ColumnWidths; setWidths(widths: ColumnWidths): void } {
  const [look, setLook] = useState(() => readLook(id))
  const change = (part: Partial<Look>) => {
    const next = { ...look, ...part }
    setLook(next)
    writeStored(`sheet:${id}`, JSON.stringify(next))
  }
  const widths = useMemo((): ColumnWidths => new Map(Object.entries(look.widths).map(([key, width]) => [key, { type: 'resized', width }])), [look.widths])
  return {
    header: look.header,
    setHeader: (header) => change({ header }),
    widths,
    setWidths: (widths) => change({ widths: Object.fromEntries([...widths].flatMap(([key, { type, width }]) => (type === 'resized' ? [[key, width]] : []))) }),
  }
}
