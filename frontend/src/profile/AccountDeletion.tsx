import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { Profile } from '../api/generated'
import { fullDate } from '../language/formats'
import { ErrorLine } from '../ui/FormDialog'
import { SettingRow } from '../ui/SettingRow'
import { profileApi } from './profileApi'

type Props = { profile: Profile; onChange(profile: Profile): void }

/** The end of the account, which can be undone for some days. */
export function AccountDeletion({ profile, onChange }: Props) {
  const [asking, setAsking] = useState(false)
  const [email, setEmail] = useState('')
  const [error, setError] = useState('')
  const run = (work: Promise<Profile>) => {
    setError('')
    work.then(
      (next) => {
        setAsking(false)
        setEmail('')
        onChange(next)
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  const keep = () => run(profileApi.keepAccount().then(() => ({ ...profile, deletionDueAt: null })))
  return (
    <section aria-label={t`Delete account`} className="text-[13.5px]">
      {profile.deletionDueAt ? (
        <div className="flex flex-wrap items-center gap-3 py-4">
          <p className="min-w-0 flex-1 text-bad"><Trans>Your account will be deleted on {fullDate(profile.deletionDueAt, 'long')}.</Trans></p>
          <button type="button" className="btn" onClick={keep}>
            <Trans>Keep it</Trans>
          </button>
        </div>
      ) : asking ? (
        <>
          <label className="mt-4 block font-medium">
            <Trans>Type {profile.email} to delete your account in all organizations</Trans>
            <input autoFocus value={email} autoComplete="off" onChange={(event) => setEmail(event.target.value)} className="field mt-1 font-normal" />
          </label>
          <p className="mt-1.5 text-fg2"><Trans>It is deleted after 14 days. Until then you can sign in and keep it.</Trans></p>
          <div className="mt-3 flex gap-2">
            <button type="button" className="btn-bad" disabled={email === ''} onClick={() => run(profileApi.deleteAccount(email))}>
              <Trans>Delete my account</Trans>
            </button>
            <button type="button" className="btn" onClick={() => setAsking(false)}>
              <Trans>Cancel</Trans>
            </button>
          </div>
        </>
      ) : (
        <SettingRow title={t`Delete account`} says={t`In all your organizations. You have 14 days to change your mind.`}>
          <button type="button" className="btn text-bad" onClick={() => setAsking(true)}>
            <Trans>Delete account…</Trans>
          </button>
        </SettingRow>
      )}
      {error && <ErrorLine text={error} />}
    </section>
  )
}
