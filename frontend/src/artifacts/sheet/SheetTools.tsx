import { useRef } from 'react'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Plus, Upload } from 'lucide-react'
import { showToast } from '../../ui/toasts'
import { parseCsv, type Table } from './csv'

const MAX_CSV_BYTES = 1024 * 1024

type Props = { rows: number; onAddRow(): void; onAddColumn(): void; onImport(table: Table): void }

export function SheetTools({ rows, onAddRow, onAddColumn, onImport }: Props) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MAX_CSV_BYTES) return showToast(t`This file is too big: a sheet holds up to 1 MB.`)
    onImport(parseCsv(await file.text()))
  }
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2">
      <button type="button" className="ghost" onClick={onAddRow}>
        <Plus className="size-3.5" aria-hidden />
        <Trans>Row</Trans>
      </button>
      <button type="button" className="ghost" onClick={onAddColumn}>
        <Plus className="size-3.5" aria-hidden />
        <Trans>Column</Trans>
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
      <span className="ms-auto pe-2 text-[12.5px] text-fg3 tabular-nums"><Plural value={rows} one="# row" other="# rows" /></span>
    </div>
  )
}
