import { useLingui } from '@lingui/react/macro'
import { Check, CircleDashed } from 'lucide-react'
import type { WorkflowStep } from '../../api/messageTypes'

/** A step of the work, in the words of the agent. */
export function WorkflowLine({ step, live }: { step: WorkflowStep; live: boolean }) {
  const { t } = useLingui()
  const running = live && step.state === 'running'
  const Icon = step.state === 'done' ? Check : CircleDashed
  return (
    <p className="flex items-start gap-2 text-[13.5px] leading-5 text-fg3">
      <Icon className={`mt-0.5 size-4 shrink-0 ${step.state === 'done' ? 'text-ok' : ''}`} role="img" aria-label={step.state === 'done' ? t`Done` : t`Under way`} />
      <span className={`min-w-0 [overflow-wrap:anywhere] ${running ? 'shimmer' : ''}`}>{step.text}</span>
    </p>
  )
}
