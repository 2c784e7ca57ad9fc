import { Trans } from '@lingui/react/macro'
import { KeyRound, RotateCcw, Settings } from 'lucide-react'
import { boot } from '../api/boot'
import { openSettings } from '../settings/address'

/** Whether a notice says that a key is missing or was not accepted. */
export const isAboutKeys = (code: string): boolean => code === 'key_missing' || code === 'key_rejected'

/** Actions for an answer that failed because of a key: enter one, change the settings, or try again. */
export function KeyActions({ onRetry }: { onRetry(): void }) {
  return (
    <div className="mt-2.5 flex flex-wrap gap-2">
      <button type="button" className="btn" onClick={(event) => openSettings('keys', event.currentTarget)}>
        <KeyRound className="size-3.5" aria-hidden />
        <Trans>Your API keys</Trans>
      </button>
      {boot.adminUrl && (
        <a className="btn" href={boot.adminUrl}>
          <Settings className="size-3.5" aria-hidden />
          <Trans>Admin settings</Trans>
        </a>
      )}
      <button type="button" className="btn" onClick={onRetry}>
        <RotateCcw className="size-3.5" aria-hidden />
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
