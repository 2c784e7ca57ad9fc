// Diagrams: drawing in a sandboxed frame (sandbox/mermaid/), the preview with zoom, and export.
import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download, Maximize, Wrench, ZoomIn, ZoomOut } from 'lucide-react'
import type { Drawing, DiagramError } from '../../sandbox/mermaid/messages'
import { showToast } from '../../ui/toasts'
import { exportDiagram } from './exportDiagram'
import { useDiagram, useObjectUrl } from './useDiagram'
import { useZoom } from './useZoom'

type Props = {
  code: string
  /** More of `code` is still to come, so a diagram that cannot be drawn is no error yet. */
  streaming: boolean
  title: string
  /** Gets the line with the error; null if there is none, or if it is unknown. */
  onErrorLine(line: number | null): void
  /** Gets the error message of the parser. Without this function there is no Fix button. */
  onFix?: ((error: string) => void) | undefined
}

const NOTHING: Drawing = { svg: '', width: 1, height: 1, kind: '' }

/** The diagram of `code`, also while it is being written. The last good picture stays until there is a new one. */
export function MermaidPreview({ code, streaming, title, onErrorLine, onFix }: Props) {
  const { t } = useLingui()
  const { drawing, fault } = useDiagram(code, streaming)
  const isEmpty = !code.trim() && !streaming
  const line = fault?.line ?? null
  useEffect(() => onErrorLine(line), [line, onErrorLine])
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={t`Diagram: ${title}`}>
      <Picture
        drawing={isEmpty ? null : drawing}
        title={title}
        code={code}
        canExport={!fault && !streaming}
        wait={isEmpty ? t`This diagram is empty. Write it under Code, or ask for it in the chat.` : fault ? '' : t`Drawing…`}
      />
      {fault && <FaultBar fault={fault} isOld={drawing !== null} onFix={onFix} />}
    </section>
  )
}

type PictureProps = { drawing: Drawing | null; title: string; code: string; canExport: boolean; wait: string }

function Picture({ drawing, title, code, canExport, wait }: PictureProps) {
  const { t } = useLingui()
  const { width, height, kind } = drawing ?? NOTHING
  const { pan, image, scale, step, fit } = useZoom({ width, height })
  const url = useObjectUrl(drawing?.svg)
  return (
    <div className="relative min-h-0 flex-1">
      <div {...pan} tabIndex={0} role="group" aria-label={t`Diagram`} className="h-full cursor-grab overflow-auto outline-offset-[-2px] active:cursor-grabbing">
        <div className="grid min-h-full w-max min-w-full place-items-center p-6 pb-16">
          {url && drawing ? (
            <img ref={image} src={url} alt={`${title} (${kind})`} draggable={false} style={{ width: width * scale, height: height * scale }} className="max-w-none" />
          ) : (
            wait && <p role="status" className="text-[13.5px] text-fg3">{wait}</p>
          )}
        </div>
      </div>
      {url && drawing && <Tools scale={scale} onStep={step} onFit={fit} onExport={canExport ? (format) => void save(code, title, format) : undefined} />}
    </div>
  )
}

const save = (code: string, title: string, format: 'svg' | 'png') =>
  exportDiagram(code, title, format).catch(() => showToast(t`The diagram could not be exported.`))

type ToolsProps = { scale: number; onStep(direction: 1 | -1): void; onFit(): void; onExport: ((format: 'svg' | 'png') => void) | undefined }

function Tools({ scale, onStep, onFit, onExport }: ToolsProps) {
  const { t } = useLingui()
  return (
    <div role="toolbar" aria-label={t`Diagram`} className="absolute bottom-3 end-3 flex items-center rounded-xl border border-line bg-raise px-1 shadow-pop">
      <button type="button" className="icon" onClick={() => onStep(-1)} aria-label={t`Zoom out`} title={t`Zoom out (-)`}>
        <ZoomOut className="size-4" aria-hidden />
      </button>
      <span className="w-11 text-center text-[12px] tabular-nums text-fg3">{Math.round(scale * 100)} %</span>
      <button type="button" className="icon" onClick={() => onStep(1)} aria-label={t`Zoom in`} title={t`Zoom in (+)`}>
        <ZoomIn className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon" onClick={onFit} aria-label={t`Fit into the window`} title={t`Fit into the window (0)`}>
        <Maximize className="size-4" aria-hidden />
      </button>
      <ExportButton format="svg" onExport={onExport} />
      <ExportButton format="png" onExport={onExport} />
    </div>
  )
}

function ExportButton({ format, onExport }: Pick<ToolsProps, 'onExport'> & { format: 'svg' | 'png' }) {
  const { t } = useLingui()
  const name = format.toUpperCase()
  return (
    <button type="button" className="ghost" disabled={!onExport} onClick={() => onExport?.(format)} aria-label={t`Download as ${name}`}>
      <Download className="size-3.5" aria-hidden />
      {name}
    </button>
  )
}

/** Adds the line number, unless the message has one of its own. */
const inWords = ({ line, message }: DiagramError): string => (line && !/\bline \d/i.test(message) ? t`Line ${line}: ${message}` : message)

function FaultBar({ fault, isOld, onFix }: { fault: DiagramError; isOld: boolean; onFix: Props['onFix'] }) {
  const { t } = useLingui()
  const { line } = fault
  return (
    <div role="alert" className="max-h-[40%] shrink-0 overflow-auto border-t border-line bg-bad-soft px-4 py-2.5 text-[13px] text-bad">
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 font-medium">
          {line ? <Trans>This diagram has an error in line {line}.</Trans> : <Trans>This diagram has an error.</Trans>}
          {isOld && ' '}
          {isOld && <Trans>Showing the last working version.</Trans>}
        </p>
        {onFix && (
          <button type="button" className="ghost shrink-0 text-accent" onClick={() => onFix(inWords(fault))} title={t`Send the error to the assistant`}>
            <Wrench className="size-3.5" aria-hidden />
            <Trans>Fix</Trans>
          </button>
        )}
      </div>
      <pre className="mt-1 whitespace-pre-wrap break-words font-mono text-[12px]">{fault.message}</pre>
    </div>
  )
}
