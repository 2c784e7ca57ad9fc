// Sheets: CSV, the table it holds, and the grid that edits it.
import { useLingui } from '@lingui/react/macro'
import 'react-data-grid/lib/styles.css'
import { useMemo, useRef, useState } from 'react'
import { DataGrid, type CellKeyDownArgs, type CellPasteArgs, type Column, type RenderEditCellProps } from 'react-data-grid'
import type { ViewProps } from '../displayedDocument'
import { parseCsv, separatorOf, writeCsv, type Table } from './csv'
import { SheetTools } from './SheetTools'
import { columnLetter, columnCount, withBlock, withCells, withColumn, withRow } from './table'

/** A row of the grid: its index in the table, and its cells. */
type Row = { readonly at: number; readonly cells: readonly string[] }

const NUMBERS: Column<Row> = { key: 'number', name: '', width: 52, frozen: true, cellClass: 'sheet-number', renderCell: ({ row }) => row.at + 1 }

function CellInput({ row, column, onRowChange, onClose }: RenderEditCellProps<Row>) {
  const index = Number(column.key)
  return (
    <input
      autoFocus
      className="sheet-input"
      aria-label={`${columnLetter(index)}${row.at + 1}`}
      value={row.cells[index] ?? ''}
      onFocus={(event) => event.target.select()}
      onChange={(event) => onRowChange({ ...row, cells: withCells(row.cells, index, [event.target.value]) })}
      onBlur={() => onClose(true, false)}
    />
  )
}

const columnsOf = (width: number, editable: boolean): readonly Column<Row>[] => [
  NUMBERS,
  ...Array.from({ length: width }, (_, index): Column<Row> => {
    const looks = { key: String(index), name: columnLetter(index), resizable: true, minWidth: 60, width: 140 }
    return { ...looks, editable, renderCell: ({ row }) => row.cells[index] ?? '', renderEditCell: (props) => <CellInput {...props} /> }
  }),
]

/** The table of a CSV text. Text that the grid itself wrote comes back and is not parsed again. */
function useTable(text: string): [Table, (table: Table) => string] {
  const known = useRef<{ text: string; table: Table }>(null)
  const [, redraw] = useState(0)
  if (known.current?.text !== text) known.current = { text, table: parseCsv(text) }
  const write = (table: Table): string => {
    const before = known.current?.text
    const written = { text: writeCsv(table, before ? separatorOf(before) : ','), table }
    known.current = written
    redraw((times) => times + 1)
    return written.text
  }
  return [known.current.table, write]
}

/** An editable table. Its content is saved as CSV. */
export default function GridView({ document: { entry, editing, text } }: ViewProps) {
  const { t } = useLingui()
  const { title } = entry
  const [table, write] = useTable(text ?? '')
  const width = columnCount(table)
  const editable = editing !== undefined
  const columns = useMemo(() => columnsOf(width, editable), [width, editable])
  const rows = useMemo(() => table.map((cells, at): Row => ({ at, cells })), [table])
  const change = (next: Table) => editing?.change(write(next))
  const put = (at: number, column: string, block: Table) => change(withBlock(table, at, Number(column), block))
  const emptyCell = ({ mode, row, column }: CellKeyDownArgs<Row>, event: React.KeyboardEvent) => {
    if (mode === 'ACTIVE' && event.key === 'Delete' && editable && row && column !== undefined && column.key !== NUMBERS.key) put(row.at, column.key, [['']])
  }
  const paste = ({ row, column }: CellPasteArgs<Row>, event: React.ClipboardEvent) => {
    const block = parseCsv(event.clipboardData.getData('text/plain'), '\t')
    if (editable && block.length) put(row.at, column.key, block)
    return row
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {editable && <SheetTools rows={table.length} onAddRow={() => change(withRow(table))} onAddColumn={() => change(withColumn(table))} onImport={change} />}
      <DataGrid
        aria-label={t`${title}, table`}
        className="sheet min-h-0 flex-1"
        columns={columns}
        rows={rows}
        rowKeyGetter={({ at }) => at}
        onRowsChange={(changed) => change(changed.map(({ cells }) => cells))}
        onCellKeyDown={emptyCell}
        onCellCopy={({ row, column }, event) => event.clipboardData.setData('text/plain', row.cells[Number(column.key)] ?? '')}
        onCellPaste={paste}
        rowHeight={32}
        headerRowHeight={32}
      />
    </div>
  )
}
