import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { goToUsage } from '../navigation/router'
import type { BudgetWarning } from './budgetWarning'

/** How much of a budget is left, below the message box. */
export function BudgetLine({ budget: { text, usedShare, urgent } }: { budget: BudgetWarning }) {
  return (
    <span className="flex flex-wrap items-center justify-center gap-x-2">
      {usedShare < 1 && <progress aria-label={t`Spent`} className={`spent w-16 ${urgent ? 'spent-bad' : 'spent-warn'}`} value={usedShare} max={1} />}
      <span className={urgent ? 'text-bad' : ''}>{text}</span>
      <button type="button" className="min-h-6 rounded font-medium text-accent hover:underline" onClick={goToUsage}>
        <Trans>My usage</Trans>
      </button>
    </span>
  )
}
