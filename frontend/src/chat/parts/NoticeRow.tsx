import { ArrowRight, CircleAlert, Info, RotateCcw, Settings, TriangleAlert } from 'lucide-react'
import { boot } from '../../app/boot'
import type { Notice, NoticeAction } from '../types'

const LOOK = {
  info: { Icon: Info, className: 'border-line bg-raise text-fg2' },
  warning: { Icon: TriangleAlert, className: 'border-transparent bg-warn-soft text-warn' },
  error: { Icon: CircleAlert, className: 'border-transparent bg-bad-soft text-bad' },
} as const

export function NoticeRow({ notice }: { notice: Notice }) {
  const { Icon, className } = LOOK[notice.level]
  return (
    <p role={notice.level === 'error' ? 'alert' : 'note'} className={`flex items-start gap-2.5 rounded-xl border px-3 py-2.5 text-[13.5px] ${className}`}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      {notice.text}
    </p>
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
    <button type="button" className="btn -mt-4" onClick={onAct}>
      <Icon className="size-3.5" aria-hidden />
      {label}
    </button>
  )
}
