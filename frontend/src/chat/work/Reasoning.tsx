import { useState } from 'react'
import type { ReasoningUIPart } from 'ai'
import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Brain, ChevronRight } from 'lucide-react'
import { Markdown } from '../../markdown/Markdown'
import { measuredMs } from './format'
import { useElapsed } from './useElapsed'

function label(live: boolean, ms: number | undefined): string {
  if (live) return t`Thinking…`
  const seconds = ms === undefined ? undefined : Math.max(1, Math.round(ms / 1000))
  return seconds === undefined ? t`Thought` : t`Thought for ${seconds} s`
}

/** Open while the model thinks, then folded. A choice of the reader stays. */
export function Reasoning({ part, live }: { part: ReasoningUIPart; live: boolean }) {
  const { t } = useLingui()
  const [choice, setChoice] = useState<boolean>()
  const elapsed = useElapsed(live)
  const open = choice ?? live
  if (!part.text && !live) return null
  return (
    <section role="group" aria-label={t`Reasoning`}>
      <button type="button" className="ghost -ms-2" aria-expanded={open} onClick={() => setChoice(!open)}>
        <Brain className="size-3.5" aria-hidden />
        <span className={live ? 'shimmer' : ''}>{label(live, measuredMs(part.providerMetadata) ?? elapsed)}</span>
        <ChevronRight className={`size-3.5 transition-transform ${open ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      {open && part.text && (
        <div className="quiet-md rise ms-1 mt-1 border-s-2 border-line ps-4 text-fg2">
          <Markdown text={part.text} streaming={live} />
        </div>
      )}
    </section>
  )
}
