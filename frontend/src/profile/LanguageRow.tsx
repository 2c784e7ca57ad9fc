import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage, OFFLINE_ERROR } from '../api/client'
import type { Profile } from '../api/generated'
import { languageOf, showLanguage } from '../language/language'
import { noteSaved } from '../ui/savedNote'
import { SettingRow } from '../ui/SettingRow'
import { ErrorLine } from '../ui/FormDialog'
import { profileApi } from './profileApi'
import { useProfile } from './useProfile'

/** The language, saved and shown at once. */
export function LanguageRow() {
  const { profile, setProfile, error } = useProfile()
  const [problem, setProblem] = useState('')
  const choose = (language: string) => {
    if (!profile) return
    setProblem('')
    setProfile({ ...profile, language })
    profileApi.save({ language }).then(show, (reason: unknown) => {
      setProfile(profile)
      setProblem(errorMessage(reason))
    })
  }
  const show = (newProfile: Profile) => {
    setProfile(newProfile)
    noteSaved()
    const codes = newProfile.languages.map(({ code }) => code)
    showLanguage(languageOf(newProfile.language, codes)).catch(() => setProblem(errorMessage(OFFLINE_ERROR)))
  }
  return (
    <>
      <SettingRow title={t`Language`} says={t`Of this page, e-mails and dates. Assistants answer in the language you write in.`}>
        <select aria-label={t`Language`} disabled={!profile} value={profile?.language ?? ''} onChange={(event) => choose(event.target.value)} className="field w-44">
          <option value=""><Trans>Browser language</Trans></option>
          {profile?.languages.map((choice) => (
            <option key={choice.code} value={choice.code}>
              {choice.name}
            </option>
          ))}
        </select>
      </SettingRow>
      {(problem || error) && <ErrorLine text={problem || error} />}
    </>
  )
}
