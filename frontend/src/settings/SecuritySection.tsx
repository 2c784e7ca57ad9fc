// How the member signs in, and where they are signed in. Passwords and factors change on pages that ask who you are.
import { useEffect, useState, type ReactNode } from 'react'
import { plural, t } from '@lingui/core/macro'
import { KeyRound } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { Passkey, SignInOverview } from '../api/generated'
import { fullDate } from '../language/formats'
import { visibleText } from '../plainText/segments'
import { ErrorLine } from '../ui/FormDialog'
import { SettingRow } from '../ui/SettingRow'
import { relativeTime } from '../ui/relativeTime'
import { Devices } from './Devices'
import { signInApi } from './signInApi'

export function SecuritySection() {
  const [overview, setOverview] = useState<SignInOverview>()
  const [error, setError] = useState('')
  const load = () =>
    signInApi.get().then(
      (answer) => {
        setOverview(answer)
        setError('')
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  useEffect(() => void load(), [])
  if (!overview) return error ? <ErrorLine text={error} /> : <div role="status" aria-label={t`Loading how you sign in`} className="skeleton mt-4 h-64" />
  return (
    <>
      <Factors overview={overview} />
      <Devices devices={overview.devices} onChange={load} />
      {error && <ErrorLine text={error} />}
    </>
  )
}

function Factors({ overview }: { overview: SignInOverview }) {
  const hasFactor = overview.passkeys.length > 0 || overview.hasAuthenticatorApp
  return (
    <>
      <SettingRow title={t`Password`} says={overview.hasPassword ? t`A new one signs you out on your other devices.` : t`Your account has no password.`}>
        <PageLink path={overview.hasPassword ? 'password/' : 'password/set/'}>{overview.hasPassword ? t`Change password` : t`Set a password`}</PageLink>
      </SettingRow>
      <Passkeys overview={overview} />
      <SettingRow
        title={t`Authenticator app`}
        mark={overview.hasAuthenticatorApp ? t`On` : undefined}
        says={(overview.hasAuthenticatorApp && overview.whyFactorStays) || t`Six-digit codes from your phone, after your password.`}
      >
        <PageLink path={overview.hasAuthenticatorApp ? '' : '2fa/app/'}>{overview.hasAuthenticatorApp ? t`Manage` : t`Set up`}</PageLink>
      </SettingRow>
      {hasFactor && (
        <SettingRow title={t`Recovery codes`} says={codesText(overview.codesLeft)}>
          <PageLink path="2fa/recovery-codes/new/">{t`New codes`}</PageLink>
        </SettingRow>
      )}
      {overview.hasOtherAccounts && (
        <SettingRow title={t`Other accounts`} says={t`Accounts elsewhere by which you sign in, and single sign-on`}>
          <PageLink path="">{t`Manage`}</PageLink>
        </SettingRow>
      )}
    </>
  )
}

function Passkeys({ overview: { passkeys, passkeysWork, whyFactorStays } }: { overview: SignInOverview }) {
  const says = passkeysWork ? t`Sign in with your fingerprint, face or screen lock.` : t`Passkeys need https, or localhost.`
  return (
    <div className="border-b border-line">
      <SettingRow title={t`Passkeys`} says={(passkeys.length > 0 && whyFactorStays) || says} isOpenBelow>
        {passkeys.length > 0 && <PageLink path="">{t`Manage`}</PageLink>}
        {passkeysWork && <PageLink path="2fa/passkeys/add/">{t`Add passkey`}</PageLink>}
      </SettingRow>
      {passkeys.length > 0 && (
        <ul aria-label={t`Passkeys`} className="grid gap-3 pb-4">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex items-center gap-3">
              <span className="grid size-8.5 shrink-0 place-items-center rounded-lg bg-side text-fg2">
                <KeyRound className="size-4" aria-hidden />
              </span>
              <span className="min-w-0">
                <span className="block truncate text-[14px] font-medium">{visibleText(passkey.name)}</span>
                <span className="block text-[12.5px] text-fg3">{passkeyText(passkey)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function PageLink({ path, children }: { path: string; children: ReactNode }) {
  return (
    <a className="btn" href={`/accounts/${path}`}>
      {children}
    </a>
  )
}

function passkeyText({ createdAt, lastUsedAt }: Passkey): string {
  const added = fullDate(createdAt, 'medium')
  const used = lastUsedAt === null ? '' : relativeTime(Date.parse(lastUsedAt), Date.now())
  return used ? t`Added ${added} · last used ${used}` : t`Added ${added} · not used yet`
}

const codesText = (left: number | null): string =>
  left === null ? t`You have none. Each one signs you in once without your phone or passkey.` : plural(left, { 0: 'You have used them all. Create new ones.', one: '# left. Create new ones before you need them.', other: '# left. Each one signs you in once without your phone or passkey.' })
