import { useMemo } from 'react'
import { t } from '@lingui/core/macro'
import { segments } from './segments'

const markTitle = (kind: string, code: string): string => (kind === 'hidden' ? t`Invisible character: ${code}` : t`Looks like another character: ${code}`)

/** A text that somebody else chose, with everything in it that can't be seen, or that looks like something else, shown and marked. */
export function PlainText({ text, lines = false, prose = false }: { text: string; lines?: boolean; prose?: boolean }) {
  const parts = useMemo(() => segments(text, { lines, prose }), [text, lines, prose])
  return parts.map((part, index) =>
    part.kind === 'plain' ? (
      part.text
    ) : (
      <mark key={index} title={markTitle(part.kind, part.code ?? '')} className="mx-px rounded bg-warn-soft px-0.5 font-mono text-[0.85em] text-warn outline outline-warn/40 [unicode-bidi:isolate]">
        {part.kind === 'hidden' ? part.code : `${part.text} ${part.code}`}
      </mark>
    ),
  )
}
