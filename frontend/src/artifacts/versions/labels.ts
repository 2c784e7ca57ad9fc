import type { VersionItem } from '../../api/generated'
import { relativeTime } from '../../ui/relativeTime'

const DONE = {
  create: 'Created',
  update: 'Updated',
  fix: 'Fixed',
  revert: 'Restored',
  edit: 'Edited',
  patch: 'Edited selection',
  merge: 'Merged',
} as const
const AGENTS: Record<string, string> = { document_agent: 'Document agent', python_agent: 'Python agent', mermaid_agent: 'Diagram agent' }

/** `order_clerk` as words. */
const spaced = (name: string): string => AGENTS[name] ?? name.replaceAll('_', ' ')

export const operationLabel = (version: VersionItem): string => (version.isDraft ? 'Unfinished draft' : DONE[version.operation])
export const dateLabel = ({ createdAt }: VersionItem): string => relativeTime(Date.parse(createdAt), Date.now())

export function authorLabel({ authorKind, authorName, agent }: VersionItem): string {
  if (authorKind === 'agent') return agent ? spaced(agent) : 'the agent'
  return authorName || 'a member'
}

/** `+12 −3`; empty if it is not known. */
export const changeSizeLabel = ({ changedLines }: VersionItem): string => (changedLines ? `+${changedLines.added} −${changedLines.removed}` : '')

export const versionSummary = (version: VersionItem): string => `${operationLabel(version)} by ${authorLabel(version)}, ${dateLabel(version)}`
