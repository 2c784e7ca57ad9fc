import type { VersionInfo } from '../../api/artifactTypes'

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

export const operationLabel = (version: VersionInfo): string => (version.isDraft ? 'Unfinished draft' : DONE[version.operation])
export const dateLabel = ({ createdAt }: VersionInfo): string => WHEN.format(new Date(createdAt))

export function authorLabel({ authorKind, authorName, agent }: VersionInfo): string {
  if (authorKind === 'agent') return agent ? `the ${spaced(agent)}` : 'the agent'
  return authorName || 'a member'
}

/** `+12 −3`; empty if it is not known. */
export const changeSizeLabel = ({ changedLines }: VersionInfo): string => (changedLines ? `+${changedLines.added} −${changedLines.removed}` : '')

export const versionSummary = (version: VersionInfo): string => `${operationLabel(version)} by ${authorLabel(version)}, ${dateLabel(version)}`
