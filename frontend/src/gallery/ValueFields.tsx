import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import type { PlaceholderItem } from '../api/generated'
import type { Values } from './placeholders'

type Props = { placeholders: readonly PlaceholderItem[]; values: Values; onChange(name: string, value: string): void }

/** The form of a template: one field for each placeholder. */
export function ValueFields({ placeholders, values, onChange }: Props) {
  return placeholders.map((placeholder) => (
    <label key={placeholder.name} className="mt-3 block text-[13px] font-medium">
      {placeholder.label}
      {placeholder.required && (
        <span className="ms-1 font-normal text-fg3">
          <Trans>(required)</Trans>
        </span>
      )}
      <Field placeholder={placeholder} value={values[placeholder.name] ?? ''} onChange={(value) => onChange(placeholder.name, value)} />
    </label>
  ))
}

function Field({ placeholder: { kind, required, choices }, value, onChange }: { placeholder: PlaceholderItem; value: string; onChange(value: string): void }) {
  const change = (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => onChange(event.target.value)
  const common = { value, required, onChange: change, className: 'field mt-1 w-full font-normal' }
  if (kind === 'long_text') return <textarea {...common} rows={3} maxLength={4000} className={`${common.className} h-auto resize-y py-2`} />
  if (kind === 'choice')
    return (
      <select {...common}>
        {!(required && value) && <option value="">{t`Choose…`}</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (kind === 'number') return <input {...common} type="number" step="any" />
  return <input {...common} type={kind === 'date' ? 'date' : 'text'} maxLength={4000} />
}
