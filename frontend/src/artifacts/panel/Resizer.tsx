import { useLingui } from '@lingui/react/macro'
import { MIN_WIDTH, MAX_WIDTH } from './width'

const STEP = 2
const KEYS: Readonly<Record<string, (percent: number) => number>> = {
  ArrowLeft: (percent) => percent + STEP,
  ArrowRight: (percent) => percent - STEP,
  Home: () => MAX_WIDTH,
  End: () => MIN_WIDTH,
}

/** The edge of the panel. The user can drag it or move it with the arrow keys. */
export function Resizer({ percent, onChange }: { percent: number; onChange(percent: number): void }) {
  const { t } = useLingui()
  const onPointerDown = (event: React.PointerEvent<HTMLDivElement>) => {
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = ({ currentTarget, pointerId, clientX }: React.PointerEvent<HTMLDivElement>) => {
    const room = currentTarget.parentElement?.parentElement?.getBoundingClientRect()
    if (room && currentTarget.hasPointerCapture(pointerId)) onChange(((room.right - clientX) / room.width) * 100)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const move = KEYS[event.key]
    if (!move) return
    event.preventDefault()
    onChange(move(percent))
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t`Width of the panel`}
      aria-valuenow={percent}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -start-1 z-10 w-2 cursor-col-resize touch-none transition-colors outline-none hover:bg-accent/30 focus-visible:bg-accent active:bg-accent/50"
    />
  )
}
