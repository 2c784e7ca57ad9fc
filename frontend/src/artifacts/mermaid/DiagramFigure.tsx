import type { ReactNode } from 'react'
import { useDiagram, useObjectUrl } from './useDiagram'

/** A finished diagram inside a text. If it cannot be drawn, `source` is shown instead. */
export default function DiagramFigure({ code, source }: { code: string; source: ReactNode }) {
  const { drawing, fault } = useDiagram(code, false)
  const url = useObjectUrl(drawing?.svg)
  if (fault) {
    return (
      <>
        <p className="px-3.5 pt-2.5 text-[13px] text-bad">
          {fault.line ? `This diagram has an error in line ${fault.line}.` : 'This diagram has an error.'}
        </p>
        {source}
      </>
    )
  }
  return (
    <div tabIndex={0} role="group" aria-label="Diagram" className="grid max-h-[34rem] min-h-40 place-items-center overflow-auto p-4">
      {url && drawing ? (
        <img src={url} alt={`Diagram (${drawing.kind})`} width={drawing.width} height={drawing.height} className="h-auto max-w-full" />
      ) : (
        <span role="status" className="text-[13px] text-fg3">
          Drawing…
        </span>
      )}
    </div>
  )
}
