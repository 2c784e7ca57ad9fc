import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { Link2, Share2 } from 'lucide-react'
import { canWrite } from '../api/boot'
import type { Session } from '../chat/session/session'
import { useStore } from '../ui/store'
import { loadShares, openShareDialog, useShares, useSharesOf } from './store'

const LATER_MS = 2000

/** In the header of a stored conversation: opens the dialog, and says when there is a link already. */
export function ShareButton({ session, title }: { session: Session; title: string }) {
  const { load, isTemporary } = useStore(session.state)
  const isShared = useSharesOf(session.id).some((share) => !share.expired)
  const isKnown = useShares() !== undefined
  const isShown = canWrite && load === 'ready' && !isTemporary
  useEffect(() => {
    if (!isShown || isKnown) return
    const timer = setTimeout(() => void loadShares().catch(() => undefined), LATER_MS) // the mark may be late
    return () => clearTimeout(timer)
  }, [isShown, isKnown])
  if (!isShown) return null
  const Icon = isShared ? Link2 : Share2
  return (
    <button type="button" className="ghost shrink-0" onClick={() => openShareDialog({ of: 'conversation', id: session.id, title })}>
      <Icon className={`size-3.5 ${isShared ? 'text-accent' : ''}`} aria-hidden />
      <span className="max-sm:sr-only">{isShared ? t`Shared` : t`Share`}</span>
    </button>
  )
}
