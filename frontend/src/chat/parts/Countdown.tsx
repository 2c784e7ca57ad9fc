import type { RetryCountdown } from './useRetryCountdown'

const RADIUS = 11
const LENGTH = 2 * Math.PI * RADIUS

/** A ring that empties, with the seconds that are left. */
export function Countdown({ seconds, share }: RetryCountdown) {
  return (
    <svg viewBox="0 0 26 26" className="size-7 shrink-0" aria-hidden>
      <circle cx="13" cy="13" r={RADIUS} fill="none" className="stroke-hover" strokeWidth="2.5" />
      <circle cx="13" cy="13" r={RADIUS} fill="none" className="stroke-accent" strokeWidth="2.5" strokeLinecap="round" strokeDasharray={LENGTH} strokeDashoffset={LENGTH * (1 - share)} transform="rotate(-90 13 13)" />
      <text x="13" y="16.5" textAnchor="middle" className="fill-fg text-[10px] font-semibold tabular-nums">
        {seconds}
      </text>
    </svg>
  )
}
