import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { ExternalLink } from 'lucide-react'
import { SettingRow } from '../ui/SettingRow'

/** Has pages of its own, which ask who you are before they change anything. */
export function SecuritySection() {
  return (
    <SettingRow title={t`Sign-in and devices`} says={t`Password, passkeys, authenticator app, recovery codes, and where you are signed in`}>
      <a className="btn" href="/accounts/">
        <Trans>Open</Trans>
        <ExternalLink className="size-3.5" aria-hidden />
      </a>
    </SettingRow>
  )
}
