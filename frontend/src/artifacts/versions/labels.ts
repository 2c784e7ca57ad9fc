import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { VersionItem } from '../../api/generated'
import { relativeTime } from '../../ui/relativeTime'

const DONE = {
  create: msg`Created`,
  update: msg`Updated`,
  fix: msg`Fixed`,
  revert: msg`Restored`,
  edit: msg`Edited`,
  patch: msg`Edited selection`,
  merge: msg`Merged`,
} as const
const AGENTS: Record<string, MessageDescriptor> = { document_agent: msg`Document agent`, python_agent: msg`Python agent`, mermaid_agent: msg`Diagram agent` }

/** `order_clerk` as words. */
const agentName = (name: string): string => (AGENTS[name] ? i18n._(AGENTS[name]) : name.replaceAll('_', ' '))

const operationLabel = (version: VersionItem): string => (version.isDraft ? t`Unfinished draft` : i18n._(DONE[version.operation]))
export const dateLabel = ({ createdAt }: VersionItem): string => relativeTime(Date.parse(createdAt), Date.now())

function authorLabel({ authorKind, authorName, agent }: VersionItem): string {
  if (authorKind === 'agent') return agent ? agentName(agent) : t`the agent`
  return authorName || t`a member`
}

/** `+12 −3`; empty if it is not known. */
export const changeSizeLabel = ({ changedLines }: VersionItem): string => (changedLines ? `+${changedLines.added} −${changedLines.removed}` : '')

/** What was done, and by whom. */
export function changeLabel(version: VersionItem): string {
  const [done, author] = [operationLabel(version), authorLabel(version)]
  return t`${done} by ${author}`
}

export const versionSummary = (version: VersionItem): string => `${changeLabel(version)}, ${dateLabel(version)}`
