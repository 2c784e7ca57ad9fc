import type { ReactNode } from 'react'
import type { PageStarter } from '../api/generated'

const PAPER = 'fill-raise stroke-line2'

const BARS = [
  { x: 72, height: 18, opacity: 0.35 },
  { x: 90, height: 32, opacity: 0.6 },
  { x: 108, height: 46, opacity: 1 },
]

const DOCUMENT = (
  <>
    <rect x="50" y="22" width="140" height="130" rx="8" className={PAPER} />
    <rect x="66" y="38" width="66" height="7" rx="3.5" className="fill-fg" />
    <rect x="66" y="54" width="108" height="4" rx="2" className="fill-line2" />
    <rect x="66" y="64" width="92" height="4" rx="2" className="fill-line2" />
    {BARS.map(({ x, height, opacity }) => (
      <rect key={x} x={x - 4} y={126 - height} width="13" height={height} rx="2.5" className="fill-accent" opacity={opacity} />
    ))}
    <g className="fill-none stroke-line2">
      <rect x="130" y="84" width="46" height="42" rx="3" />
      <path d="M130 98h46M130 112h46M153 84v42" />
    </g>
  </>
)

const PLOT = (
  <>
    <rect x="34" y="24" width="172" height="130" rx="8" className={PAPER} />
    <path d="M58 108c16-4 22-20 38-16s20 2 32-4 24-40 58-44v64z" className="fill-soft" />
    <path d="M58 108c16-4 22-20 38-16s20 2 32-4 24-40 58-44" className="fill-none stroke-accent" strokeWidth="2.5" />
    <path d="M58 38v70h134" className="fill-none stroke-fg2" strokeWidth="1.25" />
    {[[70, 98], [88, 94], [112, 84], [132, 92], [152, 64], [170, 56]].map(([x, y]) => (
      <circle key={x} cx={x} cy={y} r="3.25" className="fill-warn" />
    ))}
  </>
)

const SEQUENCE = (
  <>
    {[50, 120, 190].map((x) => (
      <g key={x}>
        <path d={`M${x} 50v86`} className="stroke-line2" strokeDasharray="4 4" />
        <rect x={x - 26} y="28" width="52" height="22" rx="6" className={PAPER} />
        <rect x={x - 11} y="37" width="22" height="4.5" rx="2.25" className="fill-fg2" />
      </g>
    ))}
    <g className="fill-none stroke-accent" strokeWidth="2">
      <path d="M50 68h60m-6-4 6 4-6 4" />
      <path d="M120 88h60m-6-4 6 4-6 4" />
      <path d="M190 106h-60m6-4-6 4 6 4" strokeDasharray="5 4" />
      <path d="M120 124H60m6-4-6 4 6 4" strokeDasharray="5 4" />
    </g>
  </>
)

const SOURCES = (
  <>
    {['fill-ok-soft', 'fill-warn-soft', 'fill-bad-soft'].map((colour, index) => (
      <g key={colour}>
        <rect x="30" y={32 + index * 36} width="180" height="29" rx="8" className={PAPER} />
        <rect x="40" y={39 + index * 36} width="16" height="16" rx="4" className={colour} />
        <rect x="64" y={45 + index * 36} width={[80, 102, 70][index]} height="4.5" rx="2.25" className="fill-line2" />
        <text x="192" y={51 + index * 36} className="fill-accent text-[11px] font-bold">
          {index + 1}
        </text>
      </g>
    ))}
  </>
)

const PICTURES: Record<PageStarter['picture'], ReactNode> = { document: DOCUMENT, plot: PLOT, sequence: SEQUENCE, sources: SOURCES }

/** What comes of a starter, drawn small on a dotted ground. */
export function StarterPicture({ name }: { name: PageStarter['picture'] }) {
  return (
    <svg viewBox="0 0 240 140" preserveAspectRatio="xMidYMid slice" className="block h-34 w-full border-b border-line bg-side max-sm:h-24" aria-hidden>
      <defs>
        <pattern id={`dots-${name}`} width="14" height="14" patternUnits="userSpaceOnUse">
          <circle cx="2" cy="2" r="0.9" className="fill-line2" />
        </pattern>
      </defs>
      <rect width="240" height="140" fill={`url(#dots-${name})`} opacity="0.7" />
      {PICTURES[name]}
    </svg>
  )
}
