import { queryString, request, requestFile } from '../api/client'
import type { DiagramSources, DrawnConversationExport } from '../api/generated'
import { drawnDiagrams } from '../artifacts/mermaid/drawnDiagrams'

export type Format = 'pdf' | 'docx' | 'md' | 'zip' | 'json'
export type Branches = 'shown' | 'all'
export type Versions = 'latest' | 'all'

type ExportOptions = { format: Format; branches: Branches; versions: Versions }

/** Returns the file. The diagrams of a PDF or Word file are drawn here. Rejects with an ApiError, also when the answer breaks off. */
export async function exportConversation(id: string, options: ExportOptions, signal: AbortSignal): Promise<Blob> {
  const path = `conversations/${id}/export/`
  const { format, branches } = options
  if (format !== 'pdf' && format !== 'docx') return requestFile(`${path}${queryString(options)}`, undefined, signal)
  const { items } = await request<DiagramSources>('GET', `${path}diagrams/${queryString({ branches })}`)
  const body: DrawnConversationExport = { format, branches, diagrams: await drawnDiagrams(items) }
  return requestFile(path, body, signal)
}
