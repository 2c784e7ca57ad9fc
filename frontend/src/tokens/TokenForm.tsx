import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import { lifetimesFor, SCOPE_LABELS } from './labels'
import type { CreatedToken } from '../api/generated'
import { tokensApi, type Scope } from './tokensApi'

const DEFAULT_DAYS = 90
const FORM_SCOPES = Object.keys(SCOPE_LABELS) as Scope[]

type Props = { maxDays: number | null; onCreated(token: CreatedToken): void; onCancel(): void }

export function TokenForm({ maxDays, onCreated, onCancel }: Props) {
  const lifetimes = lifetimesFor(maxDays)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['chat'])
  const [days, setDays] = useState<number | null>(() => lifetimes.find((lifetime) => lifetime.days === DEFAULT_DAYS)?.days ?? lifetimes[0]?.days ?? null)
  const [networks, setNetworks] = useState('')
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const make = async () => {
    setSaving(true)
    setError('')
    try {
      onCreated(await tokensApi.create({ name, scopes, days, networks: networks.split(/[\s,]+/).filter(Boolean) }))
    } catch (problem) {
      setError(errorMessage(problem))
      setSaving(false)
    }
  }
  return (
    <form
      className="py-4"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <label className="block text-[13.5px] font-medium">
        <Trans>Name</Trans>
        <input autoFocus value={name} maxLength={60} autoComplete="off" onChange={(event) => setName(event.target.value)} className="field mt-1 font-normal" />
      </label>
      <ScopeChoice selection={scopes} onChange={setScopes} />
      <label className="mt-3 block text-[13.5px] font-medium">
        <Trans>Expires after</Trans>
        <select value={days ?? ''} onChange={(event) => setDays(event.target.value ? Number(event.target.value) : null)} className="field mt-1 font-normal">
          {lifetimes.map((lifetime) => (
            <option key={lifetime.says} value={lifetime.days ?? ''}>
              {lifetime.says}
            </option>
          ))}
        </select>
      </label>
      <label className="mt-3 block text-[13.5px] font-medium">
        <Trans>Works only from</Trans>
        <input
          value={networks}
          placeholder={t`Everywhere, or 203.0.113.0/24`}
          autoComplete="off"
          onChange={(event) => setNetworks(event.target.value)}
          className="field mt-1 font-normal"
        />
      </label>
      {error && (
        <p role="alert" className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
          {error}
        </p>
      )}
      <div className="mt-4 flex gap-2">
        <button type="submit" className="btn-primary" disabled={saving || name.trim() === '' || scopes.length === 0}>
          {saving ? t`Creating…` : t`Create token`}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </button>
      </div>
    </form>
  )
}

function ScopeChoice({ selection, onChange }: { selection: readonly Scope[]; onChange(scopes: readonly Scope[]): void }) {
  const toggle = (scope: Scope) => onChange(selection.includes(scope) ? selection.filter((other) => other !== scope) : [...selection, scope])
  return (
    <fieldset className="mt-3">
      <legend className="text-[13.5px] font-medium"><Trans>Permissions</Trans></legend>
      {FORM_SCOPES.map((scope) => (
        <label key={scope} className="mt-1.5 flex cursor-pointer items-start gap-2.5 text-[13.5px] pointer-coarse:py-2">
          <input type="checkbox" checked={selection.includes(scope)} onChange={() => toggle(scope)} className="mt-0.5 size-4 shrink-0 accent-accent" />
          <span>
            {t(SCOPE_LABELS[scope].name)}
            <span className="block text-[12.5px] text-fg3">{t(SCOPE_LABELS[scope].says)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
