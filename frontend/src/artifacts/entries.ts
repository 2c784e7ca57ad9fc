// What this page knows of each artifact, as a pure reducer: streamed parts, deltas and REST answers go in.
import type { ArtifactDetail, ArtifactOperation, VersionDetail, VersionInfo } from '../app/apiTypes'
import type { ArtifactDelta, ArtifactPart, ArtifactStatus } from '../chat/types'

export type Entry = {
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly status: ArtifactStatus
  readonly operation: ArtifactOperation
  /** The tool call that wrote last. */
  readonly callId: string
  /** The text of that call so far. */
  readonly live: string
  /** Number of the newest version known here. */
  readonly latest: number | null
  readonly versions: readonly VersionInfo[]
  readonly contents: Readonly<Record<number, string>>
  /** Parent of each version whose detail was read; null for a first version. */
  readonly parents: Readonly<Record<number, number | null>>
}
export type Entries = Readonly<Record<string, Entry>>

export type ArtifactAction =
  | { readonly type: 'part'; readonly part: ArtifactPart }
  | { readonly type: 'delta'; readonly delta: ArtifactDelta }
  | { readonly type: 'loaded'; readonly artifact: ArtifactDetail }
  | { readonly type: 'version'; readonly id: string; readonly version: VersionDetail }

const unknown = (id: string, title: string, kind: string): Entry => ({
  id,
  title,
  kind,
  status: 'ready',
  operation: 'create',
  callId: '',
  live: '',
  latest: null,
  versions: [],
  contents: {},
  parents: {},
})

export function reduceArtifacts(entries: Entries, action: ArtifactAction): Entries {
  switch (action.type) {
    case 'part':
      return { ...entries, [action.part.id]: withPart(entries[action.part.id], action.part) }
    case 'delta': {
      const entry = entries[action.delta.id]
      return entry ? { ...entries, [entry.id]: withDelta(entry, action.delta) } : entries
    }
    case 'loaded':
      return { ...entries, [action.artifact.id]: withDetail(entries[action.artifact.id], action.artifact) }
    case 'version': {
      const entry = entries[action.id]
      return entry ? { ...entries, [entry.id]: withVersion(entry, action.version) } : entries
    }
  }
}

function withPart(former: Entry | undefined, part: ArtifactPart): Entry {
  const entry = former ?? unknown(part.id, part.title, part.kind)
  const { title, kind, status, operation, callId } = part
  const live = callId === entry.callId ? entry.live : ''
  const next = { ...entry, title, kind, status, operation, callId, live }
  return part.version === null || status === 'streaming' ? next : numbered(next, part.version)
}

/** The text that just streamed is the text of the version it became. */
function numbered(entry: Entry, number: number): Entry {
  const contents = entry.live && !(number in entry.contents) ? { ...entry.contents, [number]: entry.live } : entry.contents
  return { ...entry, contents, latest: Math.max(entry.latest ?? 0, number) }
}

/** `at` makes a delta safe to repeat: a replay after a cut overwrites instead of doubling the text. */
const withDelta = (entry: Entry, { at, delta }: ArtifactDelta): Entry => ({ ...entry, live: entry.live.slice(0, at) + delta })

function withDetail(former: Entry | undefined, artifact: ArtifactDetail): Entry {
  const entry = former ?? unknown(artifact.id, artifact.title, artifact.kind)
  return {
    ...entry,
    title: artifact.title,
    kind: artifact.kind,
    latest: artifact.latestVersion,
    versions: artifact.versions.toSorted((a, b) => a.number - b.number),
    contents: { ...entry.contents, [artifact.latestVersion]: artifact.content },
  }
}

const withVersion = (entry: Entry, version: VersionDetail): Entry => ({
  ...entry,
  contents: { ...entry.contents, [version.number]: version.content },
  parents: { ...entry.parents, [version.number]: version.parent },
})

/** What the panel shows: a version, or the text being written when `chosen` is null and the artifact streams. */
export type Shown = { readonly number: number | null; readonly text: string | null; readonly live: boolean }

export function shownOf(entry: Entry, chosen: number | null): Shown {
  if (chosen === null && entry.status === 'streaming') return { number: null, text: entry.live, live: true }
  const number = chosen ?? entry.latest
  if (number !== null) return { number, text: entry.contents[number] ?? null, live: false }
  return { number: null, text: entry.live || null, live: false }
}
