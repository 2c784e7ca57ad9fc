import type { ViewProps } from '../viewProps'
import { fixHandler } from '../fixHandler'
import { MermaidPreview } from '../mermaid/MermaidPreview'

/** The diagram of the text on screen. Fix is offered only for the newest version, because that is the one the agent would change. */
export default function PreviewView({ document, onErrorLine }: ViewProps) {
  const { entry, displayedVersion, text } = document
  const onFix = displayedVersion.number === entry.latest ? fixHandler(document) : undefined
  return <MermaidPreview code={text ?? ''} streaming={displayedVersion.live} title={entry.title} onErrorLine={onErrorLine} onFix={onFix} />
}
