import type { ReactNode } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { useDiagram, useObjectUrl } from './useDiagram'

/** A finished diagram inside a text. If it cannot be drawn, `source` is shown instead. */
export default function DiagramFigure({ code, source }: { code: string; source: ReactNode }) {
  const { t } = useLingui()
  const { drawing, fault } = useDiagram(code, false)
  const url = useObjectUrl(drawing?.svg)
  if (fault) {
    const { line } = fault
    return (
      <>
        <p className="px-3.5 pt-2.5 text-[13px] text-bad">
          {line ? <Trans>This diagram has an error in line {line}.</Trans> : <Trans>This diagram has an error.</Trans>}
        </p>
        {source}
      </>
    )
  }
  const kind = drawing?.kind
  return (
    <div tabIndex={0} role="group" aria-label={t`Diagram`} className="grid max-h-[34rem] min-h-40 place-items-center overflow-auto p-4">
      {url && drawing ? (
        <img src={url} alt={t`Diagram (${kind})`} width={drawing.width} height={drawing.height} className="h-auto max-w-full" />
      ) : (
        <span role="status" className="text-[13px] text-fg3">
          <Trans>Drawing…</Trans>
        </span>
      )}
    </div>
  )
}
