import { Trans, useLingui } from '@lingui/react/macro'

/** Takes the place of a conversation while it loads. */
export function ThreadSkeleton() {
  const { t } = useLingui()
  return (
    <div className="column flex-1 overflow-hidden pt-8" role="status" aria-label={t`Loading the conversation`}>
      <div className="skeleton ms-auto h-11 w-3/5" />
      <div className="mt-8 space-y-3.5">
        {['w-11/12', 'w-full', 'w-4/5', 'w-2/3'].map((width) => (
          <div key={width} className={`skeleton h-4 ${width}`} />
        ))}
      </div>
      <div className="skeleton ms-auto mt-10 h-11 w-2/5" />
      <div className="mt-8 space-y-3.5">
        {['w-full', 'w-10/12', 'w-1/2'].map((width) => (
          <div key={width} className={`skeleton h-4 ${width}`} />
        ))}
      </div>
    </div>
  )
}

export function LoadFailed({ onRetry }: { onRetry(): void }) {
  return (
    <div role="alert" className="flex flex-1 flex-col items-center justify-center gap-3 px-6 text-center">
      <h2 className="text-[17px] font-semibold"><Trans>The conversation could not be loaded</Trans></h2>
      <p className="text-[14px] text-fg2"><Trans>The server didn’t respond. Your messages are saved.</Trans></p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
