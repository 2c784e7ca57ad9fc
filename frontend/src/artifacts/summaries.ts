import type { ArtifactPart } from '../api/artifactTypes'
import type { ArtifactSummary } from '../api/generated'

/** A document of a conversation that is open, which needs no id here. */
export type ListedArtifact = Omit<ArtifactSummary, 'conversationId'>

/** The documents of a conversation with the change of `part`, oldest first. */
export function withArtifact(list: readonly ListedArtifact[], part: ArtifactPart): readonly ListedArtifact[] {
  const oldSummary = list.find((artifact) => artifact.id === part.id)
  const latestVersion = Math.max(oldSummary?.latestVersion ?? 0, part.version ?? 0)
  if (oldSummary?.title === part.title && oldSummary.latestVersion === latestVersion) return list
  const summary = { id: part.id, title: part.title, kind: part.kind, latestVersion }
  return oldSummary ? list.map((artifact) => (artifact.id === part.id ? summary : artifact)) : [...list, summary]
}
