import { ExternalLink } from 'lucide-react'
import { SettingRow } from '../ui/SettingRow'

/** Has pages of its own, which ask who you are before they change anything. */
export function SecuritySection() {
  return (
    <SettingRow title="Sign-in and devices" says="Password, passkeys, authenticator app, recovery codes, and where you are signed in">
      <a className="btn" href="/accounts/">
        Open
        <ExternalLink className="size-3.5" aria-hidden />
      </a>
    </SettingRow>
  )
}
