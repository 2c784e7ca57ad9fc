import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CloudOff } from 'lucide-react'
import { useOffline } from './connectivity'

/** A calm notice, because nothing is lost and there is nothing to do. */
export function OfflinePill() {
  const offline = useOffline()
  return (
    <div role="status">
      {offline && (
        <p className="rise flex items-center gap-1.5 rounded-full bg-hover px-2.5 py-1 text-[12px] text-fg2" title={t`What you write is sent when you’re back online.`}>
          <CloudOff className="size-3.5" aria-hidden />
          <span>
            <Trans>Offline<span className="max-sm:sr-only">, reconnecting…</span></Trans>
          </span>
        </p>
      )}
    </div>
  )
}
