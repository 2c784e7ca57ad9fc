// The user's profile: name, picture, time zone, language, and the end of the account.
import { useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import type { Profile } from '../api/generated'
import { ErrorLine, FormDialog } from '../ui/FormDialog'
import { showToast } from '../ui/toasts'
import { AccountDeletion } from './AccountDeletion'
import { DataExport } from './DataExport'
import { PictureField } from './PictureField'
import { profileApi } from './profileApi'

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
const ZONES = Intl.supportedValuesOf('timeZone')

export function ProfileDialog({ onClose }: { onClose(): void }) {
  const [profile, setProfile] = useState<Profile>()
  const [error, setError] = useState('')
  useEffect(() => {
    profileApi.get().then(setProfile, (problem: unknown) => setError(errorMessage(problem)))
  }, [])
  if (profile) return <Editor profile={profile} onChange={setProfile} onClose={onClose} />
  return (
    <FormDialog title="Profile" says="How others see you, in all your organizations." onClose={onClose} onSubmit={onClose}>
      {error ? <ErrorLine text={error} /> : <div role="status" aria-label="Loading your profile" className="skeleton mt-4 h-48" />}
    </FormDialog>
  )
}

type EditorProps = { profile: Profile; onChange(profile: Profile): void; onClose(): void }

function Editor({ profile, onChange, onClose }: EditorProps) {
  const [name, setName] = useState(profile.name)
  const [timeZone, setTimeZone] = useState(profile.timeZone)
  const [language, setLanguage] = useState(profile.language)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const isChanged = name !== profile.name || timeZone !== profile.timeZone || language !== profile.language
  const save = async () => {
    setSaving(true)
    setError('')
    try {
      onChange(await profileApi.save({ name, timeZone, language }))
      showToast('Your profile is saved.')
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setSaving(false)
  }
  return (
    <FormDialog title="Profile" says="How others see you, in all your organizations." onClose={onClose} onSubmit={() => void save()}>
      <PictureField profile={profile} onChange={onChange} />
      <label className="mt-4 block text-[13.5px] font-medium">
        Name
        <input value={name} maxLength={120} autoComplete="name" onChange={(event) => setName(event.target.value)} className="field mt-1 font-normal" />
      </label>
      <label className="mt-3 block text-[13.5px] font-medium">
        Time zone
        <select value={timeZone} onChange={(event) => setTimeZone(event.target.value)} className="field mt-1 font-normal">
          <option value="">As this device ({BROWSER_ZONE})</option>
          {ZONES.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </label>
      <label className="mt-3 block text-[13.5px] font-medium">
        Language
        <select value={language} onChange={(event) => setLanguage(event.target.value)} className="field mt-1 font-normal">
          <option value="">As the browser</option>
          {profile.languages.map((choice) => (
            <option key={choice.code} value={choice.code}>
              {choice.name}
            </option>
          ))}
        </select>
      </label>
      {error && <ErrorLine text={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="btn" onClick={onClose}>
          Close
        </button>
        <button type="submit" className="btn-primary" disabled={saving || !isChanged || name.trim() === ''}>
          {saving ? 'Saving…' : 'Save'}
        </button>
      </div>
      <DataExport />
      <AccountDeletion profile={profile} onChange={onChange} />
    </FormDialog>
  )
}
