// What this page knows about each artifact. A pure reducer of streamed parts, deltas and REST responses.
import type { ArtifactDelta, ArtifactPart, ArtifactStatus } from '../api/artifactTypes'
import type { ArtifactDetail, ConflictSides, Operation, SuggestionItem, VersionDetail, VersionItem } from '../api/generated'

export type ArtifactEntry = {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly status: ArtifactStatus
  readonly operation: Operation | 'suggestion'
  /** The last tool call that wrote the artifact. */
  readonly callId: string
  /** The text of that call so far. */
  readonly live: string
  /** Number of the newest version known here. */
  readonly latest: number | null
  readonly versions: readonly VersionItem[]
  readonly contents: Readonly<Record<number, string>>
  /** Addresses of an image's files by version number. They are valid for five minutes. */
  readonly fileUrls: Readonly<Record<number, string>>
  /** Suggestions that nobody has decided on yet, in the order of their arrival. */
  readonly suggestions: readonly SuggestionItem[]
  /** Whether it is this member's own. Of one that another member shares, only the text can be edited. */
  readonly isOwn: boolean
  /** The unresolved conflict between an agent's change and the member's. */
  readonly conflict: ConflictSides | null
}
export type ArtifactEntries = Readonly<Record<string, ArtifactEntry>>

export type ArtifactAction =
  | { readonly type: 'part'; readonly part: ArtifactPart }
  | { readonly type: 'delta'; readonly delta: ArtifactDelta }
  | { readonly type: 'suggestion'; readonly part: SuggestionItem }
  | { readonly type: 'loaded'; readonly artifact: ArtifactDetail }
  | { readonly type: 'version'; readonly id: string; readonly version: VersionDetail }
  | { readonly type: 'saved'; readonly id: string; readonly version: VersionItem; readonly content: string }
  | { readonly type: 'renamed'; readonly id: string; readonly title: string }

const newEntry = (id: string, title: string, kind: string): ArtifactEntry => ({
  ...{ id, title, kind, status: 'ready', operation: 'create', callId: '', live: '', latest: null },
  ...{ versions: [], contents: {}, fileUrls: {}, suggestions: [], conflict: null, isOwn: true },
})

/** Changes one entry. An unknown artifact stays unknown. */
function withChange(entries: ArtifactEntries, id: string, change: (entry: ArtifactEntry) => ArtifactEntry): ArtifactEntries {
  const entry = entries[id]
  return entry ? { ...entries, [id]: change(entry) } : entries
}

export function reduceArtifacts(entries: ArtifactEntries, action: ArtifactAction): ArtifactEntries {
  switch (action.type) {
    case 'part':
      return { ...entries, [action.part.id]: withPart(entries[action.part.id], action.part) }
    case 'delta':
      return withChange(entries, action.delta.id, (entry) => withDelta(entry, action.delta))
    case 'suggestion':
      return withChange(entries, action.part.artifactId, (entry) => withSuggestion(entry, action.part))
    case 'loaded':
      return { ...entries, [action.artifact.id]: withDetail(entries[action.artifact.id], action.artifact) }
    case 'version':
      return withChange(entries, action.id, (entry) => withVersion(entry, action.version))
    case 'saved':
      return withChange(entries, action.id, (entry) => withSaved(entry, action.version, action.content))
    case 'renamed':
      return withChange(entries, action.id, (entry) => ({ ...entry, title: action.title }))
  }
}

function withPart(oldEntry: ArtifactEntry | undefined, part: ArtifactPart): ArtifactEntry {
  const entry = oldEntry ?? newEntry(part.id, part.title, part.kind)
  const { title, kind, status, operation, callId } = part
  const live = callId === entry.callId ? entry.live : ''
  const next = { ...entry, title, kind, status, operation, callId, live }
  return part.version === null || status === 'streaming' ? next : withNumber(next, part.version)
}

/** The text that has just streamed becomes the text of the new version. */
function withNumber(entry: ArtifactEntry, number: number): ArtifactEntry {
  const contents = entry.live && !(number in entry.contents) ? { ...entry.contents, [number]: entry.live } : entry.contents
  return { ...entry, contents, latest: Math.max(entry.latest ?? 0, number) }
}

/** `at` makes a delta safe to repeat: a replay after a broken connection overwrites the text instead of doubling it. */
const withDelta = (entry: ArtifactEntry, { at, delta }: ArtifactDelta): ArtifactEntry => ({ ...entry, live: entry.live.slice(0, at) + delta })

const isUndecided = ({ status }: SuggestionItem): boolean => status === 'open' || status === 'stale'

/** A suggestion replaces one with the same id, so that a replay does not double it. */
function withSuggestion(entry: ArtifactEntry, part: SuggestionItem): ArtifactEntry {
  const others = entry.suggestions.filter(({ id }) => id !== part.id)
  return { ...entry, suggestions: isUndecided(part) ? [...others, part] : others }
}

function withDetail(oldEntry: ArtifactEntry | undefined, artifact: ArtifactDetail): ArtifactEntry {
  const entry = oldEntry ?? newEntry(artifact.id, artifact.title, artifact.kind)
  const { title, kind, latestVersion, content, fileUrl } = artifact
  return {
    ...entry,
    title,
    kind,
    latest: latestVersion,
    versions: artifact.versions.toSorted((a, b) => a.number - b.number),
    contents: { ...entry.contents, [latestVersion]: content },
    fileUrls: fileUrl ? { ...entry.fileUrls, [latestVersion]: fileUrl } : entry.fileUrls,
    suggestions: artifact.suggestions.filter(isUndecided),
    conflict: artifact.conflict,
    isOwn: artifact.isOwn,
  }
}

const withVersion = (entry: ArtifactEntry, { number, content, fileUrl }: VersionDetail): ArtifactEntry => ({
  ...entry,
  contents: { ...entry.contents, [number]: content },
  fileUrls: fileUrl ? { ...entry.fileUrls, [number]: fileUrl } : entry.fileUrls,
})

/** A version that this page saved. */
function withSaved(entry: ArtifactEntry, version: VersionItem, content: string): ArtifactEntry {
  const others = entry.versions.filter(({ number }) => number !== version.number)
  return {
    ...entry,
    latest: Math.max(entry.latest ?? 0, version.number),
    versions: [...others, version].toSorted((a, b) => a.number - b.number),
    contents: { ...entry.contents, [version.number]: content },
    conflict: null,
  }
}

/** Whether the list of versions lacks the newest one, so that the artifact has to be loaded again. */
export function isStale(entry: ArtifactEntry): boolean {
  if (entry.latest === null) return entry.status === 'ready'
  return entry.status !== 'streaming' && entry.versions.at(-1)?.number !== entry.latest
}

/** The number of the version before `number`, or null for the first one. */
export function versionBefore({ versions }: ArtifactEntry, number: number): number | null {
  return versions.findLast((version) => version.number < number)?.number ?? null
}

/** What the panel shows: a version, or the text that is being written (`live`). */
export type DisplayedVersion = { readonly number: number | null; readonly text: string | null; readonly live: boolean }

export function displayedVersionOf(entry: ArtifactEntry, version: number | null): DisplayedVersion {
  // The last version stays in view until the new text begins: a page that is blank for a while looks broken.
  const last = entry.latest === null ? '' : (entry.contents[entry.latest] ?? '')
  if (version === null && entry.status === 'streaming') return { number: null, text: entry.live || last, live: true }
  const number = version ?? entry.latest
  if (number !== null) return { number, text: entry.contents[number] ?? null, live: false }
  return { number: null, text: entry.live || null, live: false }
}
