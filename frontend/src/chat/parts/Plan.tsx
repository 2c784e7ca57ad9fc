import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Circle, CircleCheck, CircleDot, ListChecks } from 'lucide-react'
import type { Plan as PlanPart, PlanStep } from '../../api/messageTypes'
import { PlainText } from '../../plainText/PlainText'
import { visibleText } from '../../plainText/segments'

/** A step that was running when the answer ended is shown as pending. */
const shownState = (step: PlanStep, live: boolean): PlanStep['state'] => (step.state === 'running' && !live ? 'pending' : step.state)

const LOOKS = {
  pending: { Icon: Circle, icon: 'text-fg3', text: 'text-fg2', word: msg`To do` },
  running: { Icon: CircleDot, icon: 'text-accent', text: 'font-medium', word: msg`Under way` },
  done: { Icon: CircleCheck, icon: 'text-ok', text: 'text-fg3', word: msg`Done` },
} as const

/** The agent's checklist, with what is done so far. */
export function Plan({ plan, live }: { plan: PlanPart; live: boolean }) {
  const { t } = useLingui()
  const done = plan.steps.filter((step) => step.state === 'done').length
  const count = plan.steps.length
  const title = visibleText(plan.title)
  return (
    <section className="rounded-xl border border-line bg-raise px-3 py-2.5 text-[13.5px] leading-5" aria-label={t`Plan: ${title}`}>
      <h3 className="flex items-start gap-2.5">
        <ListChecks className="mt-0.5 size-4 shrink-0 text-fg3" aria-hidden />
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]"><PlainText text={plan.title} prose /></span>
        <span className="ms-auto shrink-0 ps-2 tabular-nums text-fg3" role="status">
          <Trans>
            {done} of {count}
            <span className="sr-only"> steps are done</span>
          </Trans>
        </span>
      </h3>
      <ol className="mt-2 space-y-1.5">
        {plan.steps.map((step, index) => (
          <Step key={index} step={step} state={shownState(step, live)} />
        ))}
      </ol>
    </section>
  )
}

function Step({ step, state }: { step: PlanStep; state: PlanStep['state'] }) {
  const { t } = useLingui()
  const { Icon, icon, text, word } = LOOKS[state]
  return (
    <li className="flex items-start gap-2.5">
      <Icon className={`mt-0.5 size-4 shrink-0 transition-colors ${icon}`} role="img" aria-label={t(word)} />
      <span className={`min-w-0 [overflow-wrap:anywhere] ${text} ${state === 'running' ? 'shimmer' : ''}`}><PlainText text={step.text} lines prose /></span>
    </li>
  )
}
