import { Trans } from '@lingui/react/macro'

export function ViewPlaceholder({ text }: { text: string }) {
  return (
    <p role="status" className="p-8 text-[13.5px] text-fg3">
      {text}
    </p>
  )
}

/** In the place of a version's text. `onRetry`: it could not be loaded. */
export function VersionPlaceholder({ onRetry }: { onRetry: (() => void) | null }) {
  if (!onRetry) return <p role="status" className="p-8 text-[13.5px] text-fg3"><Trans>Loading…</Trans></p>
  return (
    <div role="alert" className="alert-bad m-5">
      <p className="min-w-0 flex-1"><Trans>This version could not be loaded.</Trans></p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
