// How others see the user, in all organizations, and the time zone.
import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { Profile } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { showToast } from '../ui/toasts'
import { PictureField } from './PictureField'
import { profileApi } from './profileApi'
import { useProfile } from './useProfile'

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
const ZONES = Intl.supportedValuesOf('timeZone')

export function ProfileSection() {
  const { profile, setProfile, error } = useProfile()
  return (
    <>
      <p className="text-[14px] text-fg2"><Trans>How others see you, in all your organizations.</Trans></p>
      {profile ? <Editor profile={profile} onChange={setProfile} /> : error ? <ErrorLine text={error} /> : <div role="status" aria-label={t`Loading your profile`} className="skeleton mt-4 h-48" />}
    </>
  )
}

function Editor({ profile, onChange }: { profile: Profile; onChange(profile: Profile): void }) {
  const [name, setName] = useState(profile.name)
  const [timeZone, setTimeZone] = useState(profile.timeZone)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const isChanged = name !== profile.name || timeZone !== profile.timeZone
  const save = async () => {
    setSaving(true)
    setError('')
    try {
      onChange(await profileApi.save({ name, timeZone }))
      showToast(t`Your profile is saved.`)
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setSaving(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <PictureField profile={profile} onChange={onChange} />
      <label className="mt-4 block text-[13.5px] font-medium">
        <Trans>Name</Trans>
        <input value={name} maxLength={120} autoComplete="name" onChange={(event) => setName(event.target.value)} className="field mt-1 font-normal" />
      </label>
      <div className="mt-4 text-[13.5px]">
        <p className="font-medium"><Trans>E-mail</Trans></p>
        <p className="mt-1 flex flex-wrap items-center gap-x-3 text-fg2">
          {profile.email}
          <a className="inline-flex items-center font-medium text-accent hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11" href="/accounts/addresses/"><Trans>Change</Trans></a>
        </p>
      </div>
      <label className="mt-4 block text-[13.5px] font-medium">
        <Trans>Time zone</Trans>
        <select value={timeZone} onChange={(event) => setTimeZone(event.target.value)} className="field mt-1 font-normal">
          <option value=""><Trans>Time zone of this device ({BROWSER_ZONE})</Trans></option>
          {ZONES.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </label>
      {error && <ErrorLine text={error} />}
      <div className="mt-4 flex justify-end">
        <button type="submit" className="btn-primary" disabled={saving || !isChanged || name.trim() === ''}>
          {saving ? t`Saving…` : t`Save`}
        </button>
      </div>
    </form>
  )
}
