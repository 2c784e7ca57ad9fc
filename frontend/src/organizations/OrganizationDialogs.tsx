// Making an organization, and leaving one.
import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import { homePath } from '../navigation/routes'
import { ErrorLine, FormDialog } from '../ui/FormDialog'
import { organizationsApi } from './organizationsApi'

type Props = { onClose(): void }

export function NewOrganizationDialog({ onClose }: Props) {
  const [name, setName] = useState('')
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const make = async () => {
    setSaving(true)
    setError('')
    try {
      location.assign(homePath((await organizationsApi.create(name)).slug))
    } catch (problem) {
      setError(errorMessage(problem))
      setSaving(false)
    }
  }
  return (
    <FormDialog title={t`New organization`} says={t`You become its owner, and can invite others.`} onClose={onClose} onSubmit={() => void make()}>
      <label className="mt-4 block text-[13.5px] font-medium">
        <Trans>Name</Trans>
        <input autoFocus value={name} maxLength={120} autoComplete="organization" onChange={(event) => setName(event.target.value)} className="field mt-1 font-normal" />
      </label>
      {error && <ErrorLine text={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="btn" onClick={onClose}>
          <Trans>Close</Trans>
        </button>
        <button type="submit" className="btn-primary" disabled={saving || name.trim() === ''}>
          {saving ? t`Creating…` : t`Create`}
        </button>
      </div>
    </FormDialog>
  )
}

export function LeaveDialog({ onClose }: Props) {
  const [error, setError] = useState('')
  const leave = () =>
    organizationsApi.leave().then(
      () => location.assign('/'),
      (problem: unknown) => setError(errorMessage(problem)),
    )
  return (
    <FormDialog
      title={t`Leave ${boot.organization.name}?`}
      says={t`You lose access at once, and your tokens stop working. Your conversations and documents here are deleted after some days. Until then, an admin can let you in again.`}
      onClose={onClose}
      onSubmit={() => void leave()}
    >
      {error && <ErrorLine text={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="btn" autoFocus onClick={onClose}>
          <Trans>Stay</Trans>
        </button>
        <button type="submit" className="btn-bad">
          <Trans>Leave</Trans>
        </button>
      </div>
    </FormDialog>
  )
}
