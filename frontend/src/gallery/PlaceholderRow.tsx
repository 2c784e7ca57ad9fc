import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { PlaceholderItem } from '../api/generated'
import { FIELD_KINDS } from './labels'

type Props = { placeholder: PlaceholderItem; onChange(placeholder: PlaceholderItem): void }
type FieldKind = PlaceholderItem['kind']

const choicesOf = (text: string): string[] => [...new Set(text.split(',').map((choice) => choice.trim()).filter(Boolean))].slice(0, 20)

/** How one placeholder is asked for. */
export function PlaceholderRow({ placeholder, onChange }: Props) {
  const { t } = useLingui()
  const { label, kind, required } = placeholder
  const gap = `{{${placeholder.name}}}`
  const setKind = (next: FieldKind) => onChange({ ...placeholder, kind: next, choices: next === 'choice' ? choicesOf(placeholder.default || label) : [], default: next === 'date' || next === 'number' ? '' : placeholder.default })
  return (
    <li className="rounded-xl border border-line p-2.5">
      <div className="grid grid-cols-[1fr_9rem_auto] items-end gap-2 max-sm:grid-cols-1">
        <label className="text-[12.5px] text-fg2">
          <span className="[overflow-wrap:anywhere]">
            <Trans>Label of {gap}</Trans>
          </span>
          <input value={label} maxLength={80} required onChange={(event) => onChange({ ...placeholder, label: event.target.value })} className="field mt-0.5 h-8.5 pointer-coarse:h-11 w-full text-fg" />
        </label>
        <label className="text-[12.5px] text-fg2">
          <Trans>Asked for as</Trans>
          <select value={kind} onChange={(event) => setKind(event.target.value as FieldKind)} className="field mt-0.5 h-8.5 pointer-coarse:h-11 w-full text-fg">
            {(Object.keys(FIELD_KINDS) as FieldKind[]).map((each) => (
              <option key={each} value={each}>
                {t(FIELD_KINDS[each])}
              </option>
            ))}
          </select>
        </label>
        <label className="flex h-8.5 items-center gap-2 text-[12.5px] text-fg2">
          <input type="checkbox" checked={required} onChange={(event) => onChange({ ...placeholder, required: event.target.checked })} className="size-4 accent-accent" />
          <Trans>Required</Trans>
        </label>
      </div>
      <Defaults placeholder={placeholder} onChange={onChange} />
    </li>
  )
}

function Defaults({ placeholder, onChange }: Props) {
  const { kind, choices } = placeholder
  const setDefault = (event: React.ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => onChange({ ...placeholder, default: event.target.value })
  const common = { value: placeholder.default, onChange: setDefault, className: 'field mt-0.5 h-8.5 pointer-coarse:h-11 w-full text-fg' }
  return (
    <div className={`mt-2 grid gap-2 max-sm:grid-cols-1 ${kind === 'choice' ? 'grid-cols-[1fr_12rem]' : ''}`}>
      {kind === 'choice' && <Choices placeholder={placeholder} onChange={onChange} />}
      <label className="text-[12.5px] text-fg2">
        <Trans>Default</Trans>
        {kind === 'choice' ? (
          <select {...common}>
            <option value="">{t`None`}</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : kind === 'long_text' ? (
          <textarea {...common} rows={2} maxLength={500} className={`${common.className} h-auto resize-y py-1.5`} />
        ) : (
          <input {...common} type={kind === 'number' ? 'number' : kind === 'date' ? 'date' : 'text'} step="any" maxLength={500} />
        )}
      </label>
    </div>
  )
}

/** The text as it is typed, with its commas. A default that is no choice any more is dropped. */
function Choices({ placeholder, onChange }: Props) {
  const [text, setText] = useState(placeholder.choices.join(', '))
  const change = (next: string) => {
    setText(next)
    const choices = choicesOf(next)
    onChange({ ...placeholder, choices, default: choices.includes(placeholder.default) ? placeholder.default : '' })
  }
  return (
    <label className="text-[12.5px] text-fg2">
      <Trans>Choices, with commas</Trans>
      <input value={text} required onChange={(event) => change(event.target.value)} className="field mt-0.5 h-8.5 pointer-coarse:h-11 w-full text-fg" />
    </label>
  )
}
