import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CloudOff } from 'lucide-react'
import { useGap, type Gap } from './connectivity'

/** A calm notice, because nothing is lost and there is nothing to do. */
export function OfflinePill() {
  const gap = useGap()
  return (
    <div role="status">
      {gap && (
        <p className="rise flex items-center gap-1.5 whitespace-nowrap rounded-full bg-hover px-2.5 py-1 text-[12px] text-fg2" title={explanation(gap)}>
          <CloudOff className="size-3.5 shrink-0" aria-hidden />
          <span>
            <GapNotice gap={gap} />
          </span>
        </p>
      )}
    </div>
  )
}

function GapNotice({ gap }: { gap: Gap }) {
  if (gap === 'busy') return <Trans>Server busy<span className="max-sm:sr-only">, reconnecting…</span></Trans>
  if (gap === 'too-much') return <Trans>Paused<span className="max-sm:sr-only">: too many connections</span></Trans>
  return <Trans>Offline<span className="max-sm:sr-only">, reconnecting…</span></Trans>
}

function explanation(gap: Gap): string {
  if (gap === 'too-much') return t`Too many of your pages are open, or too much was sent at once. This page tries again after ten seconds; closing other pages helps.`
  return gap === 'busy' ? t`The server can’t serve this page just now. It tries again by itself, and nothing you wrote is lost.` : t`What you write is sent when you’re back online.`
}
