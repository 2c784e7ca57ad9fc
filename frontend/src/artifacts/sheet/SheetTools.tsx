import { useRef } from 'react'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { PanelTop, Plus, Trash2, Upload } from 'lucide-react'
import { showToast } from '../../ui/toasts'
import { readCsvFile } from './csvFile'

const MAX_CSV_BYTES = 1024 * 1024

type Props = { header: boolean; onHeader(on: boolean): void; onAddRow(): void; onAddColumn(): void; onDeleteRow: (() => void) | undefined; onImport(csv: string): void }

/** `onDeleteRow`: undefined while no cell is chosen. */
export function SheetTools({ header, onHeader, onAddRow, onAddColumn, onDeleteRow, onImport }: Props) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MAX_CSV_BYTES) return showToast(t`This file is too big: a sheet holds up to 1 MB.`)
    const csv = await readCsvFile(file)
    if (csv === undefined) return showToast(t`This file can't be read. Save it as CSV in UTF-8 and try again.`)
    onImport(csv)
  }
  return (
    <>
      <button type="button" className="ghost" onClick={onAddRow}>
        <Plus className="size-3.5" aria-hidden />
        <Trans>Row</Trans>
      </button>
      <button type="button" className="ghost" onClick={onAddColumn}>
        <Plus className="size-3.5" aria-hidden />
        <Trans>Column</Trans>
      </button>
      <button type="button" className="icon size-7 pointer-coarse:size-11" disabled={!onDeleteRow} onMouseDown={(event) => event.preventDefault()} onClick={onDeleteRow} aria-label={t`Delete row`} title={t`Delete row`}>
        <Trash2 className="size-3.5" aria-hidden />
      </button>
      <button type="button" className="ghost aria-pressed:bg-soft aria-pressed:text-accent" aria-pressed={header} onClick={() => onHeader(!header)}>
        <PanelTop className="size-3.5" aria-hidden />
        <Trans>Header row</Trans>
      </button>
      <button type="button" className="ghost" onClick={() => input.current?.click()}>
        <Upload className="size-3.5" aria-hidden />
        <Trans>Import CSV</Trans>
      </button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,text/csv"
        hidden
        aria-label={t`CSV file`}
        onChange={(event) => {
          void read(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </>
  )
}

/** How many rows there are, and how many of them are shown. */
export function RowCount({ shown, all }: { shown: number; all: number }) {
  return (
    <span role="status" className="ps-1 pe-2 text-[12.5px] text-fg3 tabular-nums">
      {shown === all ? <Plural value={all} one="# row" other="# rows" /> : <Trans>{shown} of <Plural value={all} one="# row" other="# rows" /></Trans>}
    </span>
  )
}
