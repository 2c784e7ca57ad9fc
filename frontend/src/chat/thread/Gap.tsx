import { useState } from 'react'
import { Trans } from '@lingui/react/macro'
import { articleOf } from '../find/marks'
import type { Session } from '../session/session'
import type { ThreadView } from './threadView'

/** How the list finds it. */
const GAP = 'data-gap'
/** Messages are loaded when the reader is this close above the gap. */
const NEAR_PX = 600

/** Stands for messages that are not loaded, above the newest ones, after the reader went to an earlier day. */
export function Gap({ onFill }: { onFill(): Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const fill = () => {
    setBusy(true)
    void onFill().finally(() => setBusy(false))
  }
  return (
    <div {...{ [GAP]: '' }} className="mb-7 flex justify-center rounded-xl border border-dashed border-line2 py-4">
      <button type="button" className="btn" disabled={busy} onClick={fill}>
        {busy ? <Trans>Loading…</Trans> : <Trans>Load the messages in between</Trans>}
      </button>
    </div>
  )
}

/** Loads all that is missing. The message below the gap stays where it is: a reader who comes from above goes on without the button. */
export async function fillGap(session: Session, { list, box }: ThreadView): Promise<void> {
  const root = box.current
  const below = session.state.get().gapBefore
  const top = root ? (articleOf(root, below)?.getBoundingClientRect().top ?? 0) - root.getBoundingClientRect().top : 0
  await session.older.fillGap(() => true)
  // A frame later, the list has taken up what was added.
  requestAnimationFrame(() => list.current?.scrollToIndex(session.chat.messages.findIndex(({ id }) => id === below), { align: 'start', offset: -top }))
}

/** Whether a reader who moves down comes near the gap from above. */
export function isGapAhead(box: HTMLElement): boolean {
  const gap = box.querySelector(`[${GAP}]`)
  if (!gap) return false
  const { top, height } = box.getBoundingClientRect()
  const place = gap.getBoundingClientRect().top - top
  return place > height / 2 && place < height + NEAR_PX
}
