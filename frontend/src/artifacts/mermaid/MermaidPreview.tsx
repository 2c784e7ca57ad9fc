// Diagrams: drawing in a sandboxed frame (sandbox/mermaid/), the preview with zoom, and export.
import { useEffect } from 'react'
import { Download, Maximize, Wrench, ZoomIn, ZoomOut } from 'lucide-react'
import type { Drawing, DiagramError } from '../../sandbox/mermaid/messages'
import { showToast } from '../../ui/toasts'
import { exportDiagram } from './exportImage'
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
  const { drawing, fault } = useDiagram(code, streaming)
  const isEmpty = !code.trim() && !streaming
  const line = fault?.line ?? null
  useEffect(() => onErrorLine(line), [line, onErrorLine])
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={`Diagram: ${title}`}>
      <Picture
        drawing={isEmpty ? null : drawing}
        title={title}
        code={code}
        canExport={!fault && !streaming}
        wait={isEmpty ? 'This diagram is empty. Write it under Edit, or ask for it in the chat.' : fault ? '' : 'Drawing…'}
      />
      {fault && <FaultBar fault={fault} isOld={drawing !== null} onFix={onFix} />}
    </section>
  )
}

type PictureProps = { drawing: Drawing | null; title: string; code: string; canExport: boolean; wait: string }

function Picture({ drawing, title, code, canExport, wait }: PictureProps) {
  const { width, height, kind } = drawing ?? NOTHING
  const { pan, image, scale, step, fit } = useZoom({ width, height })
  const url = useObjectUrl(drawing?.svg)
  return (
    <div className="relative min-h-0 flex-1">
      <div {...pan} tabIndex={0} role="group" aria-label="Diagram" className="h-full cursor-grab overflow-auto outline-offset-[-2px] active:cursor-grabbing">
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
  exportDiagram(code, title, format).catch(() => showToast('The diagram could not be exported.'))

type ToolsProps = { scale: number; onStep(direction: 1 | -1): void; onFit(): void; onExport: ((format: 'svg' | 'png') => void) | undefined }

function Tools({ scale, onStep, onFit, onExport }: ToolsProps) {
  return (
    <div role="toolbar" aria-label="Diagram" className="absolute bottom-3 right-3 flex items-center rounded-xl border border-line bg-raise px-1 shadow-pop">
      <button type="button" className="icon" onClick={() => onStep(-1)} aria-label="Zoom out" title="Zoom out (-)">
        <ZoomOut className="size-4" aria-hidden />
      </button>
      <span className="w-11 text-center text-[12px] tabular-nums text-fg3">{Math.round(scale * 100)} %</span>
      <button type="button" className="icon" onClick={() => onStep(1)} aria-label="Zoom in" title="Zoom in (+)">
        <ZoomIn className="size-4" aria-hidden />
      </button>
      <button type="button" className="icon" onClick={onFit} aria-label="Fit into the window" title="Fit into the window (0)">
        <Maximize className="size-4" aria-hidden />
      </button>
      {(['svg', 'png'] as const).map((format) => (
        <button key={format} type="button" className="ghost" disabled={!onExport} onClick={() => onExport?.(format)} aria-label={`Download as ${format.toUpperCase()}`}>
          <Download className="size-3.5" aria-hidden />
          {format.toUpperCase()}
        </button>
      ))}
    </div>
  )
}

/** Adds the line number, unless the message has one of its own. */
const inWords = ({ line, message }: DiagramError): string => (line && !/\bline \d/i.test(message) ? `Line ${line}: ${message}` : message)

function FaultBar({ fault, isOld, onFix }: { fault: DiagramError; isOld: boolean; onFix: Props['onFix'] }) {
  return (
    <div role="alert" className="max-h-[40%] shrink-0 overflow-auto border-t border-line bg-bad-soft px-4 py-2.5 text-[13px] text-bad">
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 font-medium">
          {fault.line ? `This diagram has an error in line ${fault.line}.` : 'This diagram has an error.'}
          {isOld && ' The picture is of the last version without one.'}
        </p>
        {onFix && (
          <button type="button" className="ghost shrink-0 text-accent" onClick={() => onFix(inWords(fault))} title="Send the error to the assistant">
            <Wrench className="size-3.5" aria-hidden />
            Fix
          </button>
        )}
      </div>
      <pre className="mt-1 whitespace-pre-wrap break-words font-mono text-[12px]">{fault.message}</pre>
    </div>
  )
}
