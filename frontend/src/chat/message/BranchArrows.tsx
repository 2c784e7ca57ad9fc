import { useEffect, useRef } from 'react'
import { useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ChatMessage } from '../../api/messageTypes'
import type { Session } from '../session/session'

type Props = { message: ChatMessage; session: Session }

/** The ids beside a message, and its place among them. Null when it is the only one at its place. */
function placeOf({ metadata }: ChatMessage, id: string): { siblings: readonly string[]; index: number } | null {
  const siblings = metadata?.siblings ?? []
  const index = siblings.indexOf(id)
  return index < 0 ? null : { siblings, index }
}

/** The message that was asked for last: its arrows get the focus once they are there, because the former ones are gone then. */
let focusTarget: { readonly id: string; readonly steps: 1 | -1 } | undefined

/** Shows the branch `steps` places further, if there is one. */
export function stepBranch(message: ChatMessage, session: Session, steps: 1 | -1): void {
  const place = placeOf(message, message.id)
  const next = place?.siblings[place.index + steps]
  if (!next || session.busy) return
  focusTarget = { id: next, steps }
  void session.messages.showBranch(next)
}

/** ‹ 2/3 ›: which of the messages at this place is shown. */
export function BranchArrows({ message, session }: Props) {
  const { t } = useLingui()
  const arrows = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focusTarget?.id !== message.id) return
    const enabled = [...(arrows.current?.querySelectorAll<HTMLElement>('button:enabled') ?? [])]
    enabled.at(focusTarget.steps < 0 ? 0 : -1)?.focus({ preventScroll: true })
    focusTarget = undefined
  }, [message.id])
  const place = placeOf(message, message.id)
  if (!place) return null
  const { siblings, index } = place
  const number = index + 1
  const count = siblings.length
  return (
    <div ref={arrows} role="group" aria-label={t`Branch ${number} of ${count}`} className="flex items-center text-[12.5px] font-medium tabular-nums text-fg2">
      <Arrow icon={ChevronLeft} label={t`Previous branch`} disabled={index === 0} onClick={() => stepBranch(message, session, -1)} />
      <span aria-hidden>
        {number}/{count}
      </span>
      <Arrow icon={ChevronRight} label={t`Next branch`} disabled={number === count} onClick={() => stepBranch(message, session, 1)} />
    </div>
  )
}

type ArrowProps = { icon: typeof ChevronLeft; label: string; disabled: boolean; onClick(): void }

function Arrow({ icon: Icon, label, disabled, onClick }: ArrowProps) {
  return (
    <button type="button" className="icon size-7" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <Icon className="size-4" aria-hidden />
    </button>
  )
}
