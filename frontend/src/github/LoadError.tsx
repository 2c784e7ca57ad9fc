import { Trans } from '@lingui/react/macro'
import { KeyRound } from 'lucide-react'
import { openSettings } from '../settings/address'

type Props = { text: string; wantsToken: boolean; onRetry(): void; onLeave(): void }

/** Says why GitHub could not be read, and offers what helps. */
export function LoadError({ text, wantsToken, onRetry, onLeave }: Props) {
  return (
    <div role="alert" className="alert-bad my-4">
      <p className="min-w-0 flex-1">{text}</p>
      {wantsToken && (
        <button
          type="button"
          className="btn"
          onClick={() => {
            onLeave()
            openSettings('keys', null)
          }}
        >
          <KeyRound className="size-3.5" aria-hidden />
          <Trans>Your API keys</Trans>
        </button>
      )}
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
