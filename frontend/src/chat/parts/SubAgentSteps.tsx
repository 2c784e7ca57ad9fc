import type { ReactNode } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ChatPart } from '../../api/messageTypes'
import { sourcesOf } from '../work/citedSources'
import { Sources } from './Sources'

type Props = { steps: readonly ChatPart[]; render(part: ChatPart): ReactNode }

/** The work of a sub-agent, shown like an answer inside the row of its tool call. */
export function SubAgentSteps({ steps, render }: Props) {
  const { t } = useLingui()
  const sources = sourcesOf({ parts: steps })
  return (
    <section role="group" aria-label={t`Steps`}>
      <h3 className="text-[11.5px] font-semibold text-fg3"><Trans>Steps</Trans></h3>
      <div className="quiet-md mt-1.5 space-y-2.5 border-s-2 border-line ps-3 text-[13.5px]">
        {steps.map((part, index) => (
          <div key={index} className="empty:hidden">
            {render(part)}
          </div>
        ))}
        {sources.length > 0 && <Sources sources={sources} />}
      </div>
    </section>
  )
}
