import { useId, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { ProviderKey } from '../api/generated'
import { keysApi } from './keysApi'
import { displayHost } from './labels'

type Props = { item: ProviderKey; onSaved(): void; onCancel(): void }

/** The key is only in this component's state until it is saved: in no draft, no storage, no autofill. */
export function KeyForm({ item, onSaved, onCancel }: Props) {
  const [key, setKey] = useState('')
  const [sessionOnly, setSessionOnly] = useState(false)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const hint = useId()
  const save = async () => {
    setSaving(true)
    setError('')
    try {
      await keysApi.save({ provider: item.provider, key, origin: item.origin, sessionOnly })
      onSaved()
    } catch (problem) {
      setError(errorMessage(problem))
      setSaving(false)
    }
  }
  return (
    <form
      className="mt-2.5"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <input
        autoFocus
        type="password"
        autoComplete="off"
        spellCheck={false}
        maxLength={4096}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        aria-label={t`API key for ${item.label}`}
        aria-describedby={hint}
        aria-invalid={error !== ''}
        className="block h-10 w-full rounded-xl border border-line2 bg-bg px-3 font-mono text-[14px] outline-none focus:border-accent aria-invalid:border-bad"
      />
      <p id={hint} className="mt-1.5 text-[12.5px] text-fg3 [overflow-wrap:anywhere]">
        <Trans>Sent to {displayHost(item.origin)} and to nobody else. It is not shown again.</Trans>
      </p>
      <SessionOnly checked={sessionOnly} onChange={setSessionOnly} />
      {error && (
        <p role="alert" className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
          {error}
        </p>
      )}
      <div className="mt-3 flex gap-2">
        <button type="submit" className="btn-primary" disabled={saving || key.trim() === ''}>
          {saving ? t`Saving…` : t`Save`}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </button>
      </div>
    </form>
  )
}

function SessionOnly({ checked, onChange }: { checked: boolean; onChange(checked: boolean): void }) {
  return (
    <label className="mt-2.5 flex cursor-pointer items-start gap-2.5 text-[13.5px] pointer-coarse:py-2">
      <input type="checkbox" role="switch" checked={checked} onChange={(event) => onChange(event.target.checked)} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>
        <Trans>For this session only</Trans>
        <span className="block text-[12.5px] text-fg3"><Trans>On: gone when you sign out. Off: kept, encrypted, until you remove it.</Trans></span>
      </span>
    </label>
  )
}
