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

/** `document_agent` as people read it. */
const spoken = (name: string): string => name.replaceAll('_', ' ')

export const whatWasDone = (version: VersionInfo): string => (version.isDraft ? 'Unfinished draft' : DONE[version.operation])
export const whenItWas = ({ createdAt }: VersionInfo): string => WHEN.format(new Date(createdAt))

export function whoDidIt({ authorKind, authorName, agent }: VersionInfo): string {
  if (authorKind === 'agent') return agent ? `the ${spoken(agent)}` : 'the agent'
  return authorName || 'a member'
}

/** `+12 −3`, or nothing when it is not known. */
export const howMuch = ({ changedLines }: VersionInfo): string => (changedLines ? `+${changedLines.added} −${changedLines.removed}` : '')

export const summary = (version: VersionInfo): string => `${whatWasDone(version)} by ${whoDidIt(version)}, ${whenItWas(version)}`
