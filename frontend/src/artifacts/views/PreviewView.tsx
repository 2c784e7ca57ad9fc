import type { ViewProps } from '../document'
import { MermaidPreview } from '../mermaid/MermaidPreview'

/** The diagram that the text on the screen describes. */
export default function PreviewView({ document: { entry, shown, text }, onErrorLine }: ViewProps) {
  return <MermaidPreview code={text ?? ''} streaming={shown.live} title={entry.title} onErrorLine={onErrorLine} />
}
