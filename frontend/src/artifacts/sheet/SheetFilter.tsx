import { useLingui } from '@lingui/react/macro'
import type { Filter } from './columns'

type Props = { names: readonly string[]; filter: Filter; onChange(filter: Filter): void }

/** Shows only rows that contain some text, in one column or in any. */
export function SheetFilter({ names, filter, onChange }: Props) {
  const { t } = useLingui()
  return (
    <span className="flex min-w-0 items-center gap-1">
      <select
        className="field-small max-w-32"
        aria-label={t`Column to filter`}
        value={filter.column ?? ''}
        onChange={(event) => onChange({ ...filter, column: event.target.value === '' ? null : Number(event.target.value) })}
      >
        <option value="">{t`All columns`}</option>
        {names.map((name, index) => (
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
      <input
        type="search"
        className="field-small w-32"
        aria-label={t`Filter rows`}
        placeholder={t`Filter rows`}
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
      />
    </span>
  )
}
