import type { VersionItem } from '../../api/generated'

const DONE = {
  create: 'Created',
  update: 'Updated',
  fix: 'Fixed',
  revert: 'Restored',
  edit: 'Edited',
  patch: 'Changed in part',
  merge: 'Merged',
} as const
const WHEN = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** `document_agent` as words. */
const spaced = (name: string): string => name.replaceAll('_', ' ')

export const operationLabel = (version: VersionItem): string => (version.isDraft ? 'Unfinished draft' : DONE[version.operation])
export const dateLabel = ({ createdAt }: VersionItem): string => WHEN.format(new Date(createdAt))

export function authorLabel({ authorKind, authorName, agent }: VersionItem): string {
  if (authorKind === 'agent') return agent ? `the ${spaced(agent)}` : 'the agent'
  return authorName || 'a member'
}

/** `+12 −3`; empty if it is not known. */
export const changeSizeLabel = ({ changedLines }: VersionItem): string => (changedLines ? `+${changedLines.added} −${changedLines.removed}` : '')

export const versionSummary = (version: VersionItem): string => `${operationLabel(version)} by ${authorLabel(version)}, ${dateLabel(version)}`
