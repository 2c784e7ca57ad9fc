import type { ArtifactPart, ArtifactSummary } from '../api/artifactTypes'

/** The documents of a conversation with the change of `part`, oldest first. */
export function withArtifact(list: readonly ArtifactSummary[], part: ArtifactPart): readonly ArtifactSummary[] {
  const known = list.find((artifact) => artifact.id === part.id)
  const latestVersion = Math.max(known?.latestVersion ?? 0, part.version ?? 0)
  if (known?.title === part.title && known.latestVersion === latestVersion) return list
  const summary = { id: part.id, title: part.title, kind: part.kind, latestVersion }
  return known ? list.map((artifact) => (artifact.id === part.id ? summary : artifact)) : [...list, summary]
}
