import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Ban, Check, CircleAlert, Clock, LoaderCircle, Square } from 'lucide-react'
import type { ToolState } from './toolState'

export type ShownState = Exclude<ToolState, 'asks'>

/** `isShown`: the word stands beside the icon, too. */
export const STATE_LOOKS = {
  running: { Icon: LoaderCircle, className: 'animate-spin text-accent', word: msg`Running`, isShown: false },
  done: { Icon: Check, className: 'text-ok', word: msg`Done`, isShown: false },
  failed: { Icon: CircleAlert, className: 'text-bad', word: msg`Failed`, isShown: true },
  stopped: { Icon: Square, className: 'text-fg3', word: msg`Stopped`, isShown: true },
  allowed: { Icon: Check, className: 'text-accent', word: msg`Allowed`, isShown: true },
  denied: { Icon: Ban, className: 'text-fg3', word: msg`Not allowed`, isShown: true },
  waits: { Icon: Clock, className: 'text-fg3', word: msg`Waiting`, isShown: true },
  page: { Icon: Clock, className: 'text-fg3', word: msg`Waiting for the page`, isShown: true },
} as const

export function StateIcon({ state }: { state: ShownState }) {
  const { t } = useLingui()
  const { Icon, className, word } = STATE_LOOKS[state]
  return <Icon className={`size-4 shrink-0 ${className}`} role="img" aria-label={t(word)} />
}
