import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUpToLine, CalendarDays, LoaderCircle } from 'lucide-react'
import { useState } from 'react'

const BUTTON = 'grid size-10 place-items-center rounded-full border border-line bg-raise shadow-pop hover:bg-hover'

type Props = { toStart: (() => Promise<void>) | undefined; toDay: (() => void) | undefined; toEnd(): void }

/** To both ends of a conversation, and to a day in it. `toStart` undefined: the start is near; `toDay` undefined: all is of one day. */
export function JumpButtons({ toStart, toDay, toEnd }: Props) {
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const start = () => {
    setBusy(true)
    void toStart?.().finally(() => setBusy(false))
  }
  return (
    <div className="rise pointer-events-none absolute inset-x-0 bottom-4 flex justify-center gap-2 *:pointer-events-auto">
      {toStart && (
        <button type="button" onClick={start} disabled={busy} className={BUTTON} aria-label={t`Jump to the start`} title={t`Jump to the start`}>
          {busy ? <LoaderCircle className="size-4 animate-spin" aria-hidden /> : <ArrowUpToLine className="size-4" aria-hidden />}
        </button>
      )}
      {toDay && (
        <button type="button" onClick={toDay} className={BUTTON} aria-label={t`Go to a day`} title={t`Go to a day`}>
          <CalendarDays className="size-4" aria-hidden />
        </button>
      )}
      <button type="button" onClick={toEnd} className={BUTTON} aria-label={t`Jump to the newest message`}>
        <ArrowDown className="size-4" aria-hidden />
      </button>
    </div>
  )
}
