// Sheets: CSV, the table it holds, and the grid that edits it.
import { useLingui } from '@lingui/react/macro'
import 'react-data-grid/lib/styles.css'
import { useMemo, useRef, useState } from 'react'
import { DataGrid, type CellKeyDownArgs, type CellPasteArgs, type Column, type DataGridHandle, type RenderEditCellProps, type SortColumn } from 'react-data-grid'
import { useCalculation } from '../calculation/useCalculation'
import type { ViewProps } from '../viewProps'
import { hasHeader, isNumeric, shownRows, widthOf, type Filter } from './columns'
import { parseCsv, type Table } from './csv'
import { FormulaBar, type ChosenCell } from './FormulaBar'
import { SheetFilter } from './SheetFilter'
import { RowCount, SheetTools } from './SheetTools'
import { columnLetter, columnCount, isErrorText, isFormula, withBlock, withCells, withColumn, withoutRow, withRow } from './table'
import { useLook, useSheet } from './useSheet'

/** A row of the grid: its index in the table, its cells, and what they show. */
type Row = { readonly at: number; readonly cells: readonly string[]; readonly texts: readonly string[] }

const NUMBERS: Column<Row> = { key: 'number', name: '', frozen: true, cellClass: 'sheet-number', renderCell: ({ row }) => row.at + 1 }

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

function CellText({ row, index }: { row: Row; index: number }) {
  const text = row.texts[index] ?? ''
  return isFormula(row.cells[index] ?? '') && isErrorText(text) ? <span className="text-bad">{text}</span> : text
}

/** A named column keeps its letter, because formulas know it by that. */
function ColumnName({ name, index }: { name: string; index: number }) {
  return (
    <>
      {name !== columnLetter(index) && (
        <span className="pe-1.5 font-normal text-fg3" aria-hidden>
          {columnLetter(index)}
        </span>
      )}
      {name}
    </>
  )
}

type Shape = { readonly name: string; readonly width: number; readonly numeric: boolean }

/** `digits`: of the largest row number. */
const columnsOf = (shapes: readonly Shape[], editable: boolean, digits: number): readonly Column<Row>[] => [
  { ...NUMBERS, width: 28 + 8 * Math.max(3, digits) },
  ...shapes.map(({ name, width, numeric }, index): Column<Row> => {
    const aligned = numeric ? { cellClass: 'sheet-numeric', headerCellClass: 'sheet-numeric' } : {}
    const looks = { key: String(index), name: <ColumnName name={name} index={index} />, resizable: true, sortable: true, minWidth: 60, width, ...aligned }
    return { ...looks, editable, renderCell: ({ row }) => <CellText row={row} index={index} />, renderEditCell: (props) => <CellInput {...props} /> }
  }),
]

/** What the columns look like. It stays the same object while a change of cells does not change it. */
function useShapes(table: Table, header: boolean): readonly Shape[] {
  const body = header ? table.slice(1) : table
  const shapes = Array.from({ length: columnCount(table) }, (_, column): Shape => {
    const name = (header && table[0]?.[column]) || columnLetter(column)
    return { name, width: widthOf(body, column, name), numeric: isNumeric(body, column) }
  })
  const key = JSON.stringify(shapes.map(({ name, numeric }) => [name, numeric]))
  return useMemo(() => shapes, [key])
}

/** An editable table. Its content is saved as CSV; sorting and filtering change only what is shown. */
export default function GridView({ document: { entry, editing, text } }: ViewProps) {
  const { t } = useLingui()
  const { title } = entry
  const grid = useRef<DataGridHandle>(null)
  const [table, write] = useSheet(text ?? '')
  const { texts, hasFormulas, isTooLong } = useCalculation(table)
  const look = useLook(entry.id)
  const [sorted, setSorted] = useState<readonly SortColumn[]>([])
  const [filter, setFilter] = useState<Filter>({ column: null, text: '' })
  const [activeCell, setActiveCell] = useState<ChosenCell | null>(null)
  const editable = editing !== undefined
  const header = look.header ?? hasHeader(table)
  const shapes = useShapes(texts, header)
  const digits = String(table.length).length
  const columns = useMemo(() => columnsOf(shapes, editable, digits), [shapes, editable, digits])
  const first = header ? 1 : 0
  const rows = useMemo(() => {
    const [by] = sorted
    const order = shownRows(texts, first, by ? { column: Number(by.columnKey), descending: by.direction === 'DESC' } : null, filter)
    return order.map((at): Row => ({ at, cells: table[at]!, texts: texts[at]! }))
  }, [table, texts, first, sorted, filter])
  const change = (next: Table) => editing?.change(write(next))
  /** Changes the table as it is by now: for what had to wait for a file of the page. */
  const newest = useRef((_: (current: Table) => Table) => {})
  newest.current = (changed) => change(changed(table))
  const put = (row: Row, column: string, block: Table) => {
    const start = rows.findIndex(({ at }) => at === row.at)
    change(withBlock(table, rows.slice(start, start + block.length).map(({ at }) => at), Number(column), block))
  }
  const addRow = () => {
    setFilter({ ...filter, text: '' })
    change(withRow(table))
    setTimeout(() => grid.current?.scrollToCell({ rowIdx: table.length - first }))
  }
  const deleteRow = async (at: number) => {
    setActiveCell(null)
    const rowRemoval = hasFormulas ? await import('../calculation/rowRemoval') : null
    newest.current((current) => withoutRow(rowRemoval?.withoutRowInFormulas(current, at) ?? current, at))
  }
  const emptyCell = ({ mode, row, column }: CellKeyDownArgs<Row>, event: React.KeyboardEvent) => {
    if (mode === 'ACTIVE' && event.key === 'Delete' && editable && row && column !== undefined && column.key !== NUMBERS.key) put(row, column.key, [['']])
  }
  const paste = ({ row, column }: CellPasteArgs<Row>, event: React.ClipboardEvent) => {
    const block = parseCsv(event.clipboardData.getData('text/plain'), '\t')
    if (editable && block.length) put(row, column.key, block)
    return row
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
        {editing && (
          <SheetTools
            header={header}
            onHeader={look.setHeader}
            onAddRow={addRow}
            onAddColumn={() => change(withColumn(table))}
            onDeleteRow={activeCell === null || !table[activeCell.at] ? undefined : () => void deleteRow(activeCell.at)}
            onImport={(csv) => editing.change(csv)}
          />
        )}
        <span className="ms-auto flex items-center">
          <SheetFilter names={shapes.map(({ name }) => name)} filter={filter} onChange={setFilter} />
          <RowCount shown={rows.length} all={Math.max(0, table.length - first)} />
        </span>
      </div>
      {hasFormulas && <FormulaBar cell={activeCell} table={table} texts={texts} isTooLong={isTooLong} />}
      <DataGrid
        ref={grid}
        aria-label={t`${title}, table`}
        className="sheet min-h-0 flex-1"
        columns={columns}
        rows={rows}
        rowKeyGetter={({ at }) => at}
        sortColumns={sorted}
        onSortColumnsChange={(next) => setSorted(next.slice(-1))}
        columnWidths={look.widths}
        onColumnWidthsChange={look.setWidths}
        onActivePositionChange={({ row, column }) => setActiveCell(row ? { at: row.at, column: Number(column?.key) } : null)}
        onRowsChange={(changed, { indexes }) => change(withBlock(table, indexes.map((index) => changed[index]!.at), 0, indexes.map((index) => changed[index]!.cells)))}
        onCellKeyDown={emptyCell}
        onCellCopy={({ row, column }, event) => event.clipboardData.setData('text/plain', row.texts[Number(column.key)] ?? '')}
        onCellPaste={paste}
        rowHeight={32}
        headerRowHeight={34}
      />
    </div>
  )
}
