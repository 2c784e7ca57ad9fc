import type { ViewProps } from '../displayedDocument'
import { fixHandler } from '../fixHandler'
import { MermaidPreview } from '../mermaid/MermaidPreview'

/** The diagram that the text on the screen describes. Fix asks for the newest text only: an older one is not what the agent would change. */
export default function PreviewView({ document, onErrorLine }: ViewProps) {
  const { entry, displayedVersion, text } = document
  const onFix = displayedVersion.number === entry.latest ? fixHandler(document) : undefined
  return <MermaidPreview code={text ?? ''} streaming={displayedVersion.live} title={entry.title} onErrorLine={onErrorLine} onFix={onFix} />
}
