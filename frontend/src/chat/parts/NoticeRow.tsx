import { ArrowRight, ChevronRight, CircleAlert, Info, RotateCcw, Settings, TriangleAlert } from 'lucide-react'
import { boot } from '../../api/boot'
import type { Notice, NoticeAction } from '../../api/messageTypes'

const LOOK = {
  info: { Icon: Info, className: 'border-line bg-raise text-fg2' },
  warning: { Icon: TriangleAlert, className: 'border-transparent bg-warn-soft text-warn' },
  error: { Icon: CircleAlert, className: 'border-transparent bg-bad-soft text-bad' },
} as const

/** A notice about extra context for the model. Nothing happened, so it is shown without a frame. */
const isContext = (notice: Notice): boolean => notice.code.startsWith('told_')

export function NoticeRow({ notice }: { notice: Notice }) {
  const { Icon, className } = LOOK[notice.level]
  const look = isContext(notice) ? 'gap-2 text-[12.5px] text-fg2' : `gap-2.5 rounded-xl border px-3 py-2.5 text-[13.5px] ${className}`
  return (
    <div role={notice.level === 'error' ? 'alert' : 'note'} className={`flex items-start ${look}`}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 whitespace-pre-line [overflow-wrap:anywhere]">
        {notice.text}
        {notice.details && <NoticeDetails text={notice.details} />}
      </div>
    </div>
  )
}

function NoticeDetails({ text }: { text: string }) {
  return (
    <details className="group/details mt-1">
      <summary className="flex w-fit list-none items-center gap-1 rounded text-[12.5px] font-medium pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        Details
        <ChevronRight className="size-3.5 transition-transform group-open/details:rotate-90" aria-hidden />
      </summary>
      <pre tabIndex={0} aria-label="Details" className="mt-1 max-h-72 overflow-auto whitespace-pre-wrap font-mono text-[12px] leading-[1.6] [overflow-wrap:anywhere]">
        {text}
      </pre>
    </details>
  )
}

const ACTIONS = {
  retry: { label: 'Try again', Icon: RotateCcw },
  continue: { label: 'Continue', Icon: ArrowRight },
  settings: { label: 'Open settings', Icon: Settings },
} as const

export function NoticeActions({ action, onAct }: { action: NoticeAction; onAct(): void }) {
  if (action === 'settings' && !boot.adminUrl) return null
  const { label, Icon } = ACTIONS[action]
  return (
    <button type="button" className="btn relative -mt-4" onClick={onAct}>
      <Icon className="size-3.5" aria-hidden />
      {label}
    </button>
  )
}
