import { describe, expect, test } from 'vitest'
import type { ArtifactPart } from '../api/artifactTypes'
import type { ArtifactDetail, SuggestionItem, VersionItem } from '../api/generated'
import { isStale, reduceArtifacts, displayedVersionOf, versionBefore, type ArtifactAction, type ArtifactEntries } from './entries'

const part = (change: Partial<ArtifactPart> = {}): ArtifactAction => ({
  type: 'part',
  part: { id: 'a', title: 'Plan', kind: 'text', status: 'streaming', version: null, operation: 'create', callId: 'c1', ...change },
})
const delta = (at: number, text: string): ArtifactAction => ({ type: 'delta', delta: { id: 'a', at, delta: text } })
const version = (number: number): VersionItem => ({
  ...{ number, createdAt: '2026-01-01T00:00:00Z', operation: 'update', isDraft: false, isAutosave: false, authorKind: 'agent' },
  ...{ authorName: '', agent: 'document_agent', runId: null, parent: number > 1 ? number - 1 : null, changedLines: null },
})
const suggestion = (id: string, status: SuggestionItem['status'] = 'open'): SuggestionItem => ({
  ...{ id, artifactId: 'a', version: 2, original: 'second', prefix: '', suffix: '', start: 0, replacement: '2nd', comment: '', status },
})
const detail: ArtifactDetail = {
  id: 'a',
  conversationId: 'c',
  title: 'Plan',
  kind: 'text',
  latestVersion: 2,
  content: 'second',
  fileUrl: null,
  conflict: null,
  isOwn: true,
  versions: [version(2), version(1)],
  suggestions: [suggestion('s1'), suggestion('s2', 'rejected')],
}

const play = (...actions: ArtifactAction[]): ArtifactEntries => actions.reduce(reduceArtifacts, {})

describe('a streamed artifact', () => {
  test('grows by its deltas', () => {
    expect(play(part(), delta(0, 'Hello'), delta(5, ' you')).a?.live).toBe('Hello you')
  })

  test('replayed deltas do not double the text', () => {
    const first = [part(), delta(0, 'Hello'), delta(5, ' you')]
    expect(play(...first, ...first, delta(9, '!')).a?.live).toBe('Hello you!')
  })

  test('a delta of an unknown artifact is ignored', () => {
    expect(play(delta(0, 'x'))).toEqual({})
  })

  test('becomes a version when it is ready', () => {
    const entry = play(part(), delta(0, 'Hello'), part({ status: 'ready', version: 1 })).a!
    expect(displayedVersionOf(entry, null)).toEqual({ number: 1, text: 'Hello', live: false })
  })

  test('an update shows the former version until its own text begins, and keeps it', () => {
    const events = [part(), delta(0, 'one'), part({ status: 'ready', version: 1 }), part({ callId: 'c2', operation: 'update' })]
    expect(displayedVersionOf(play(...events).a!, null)).toEqual({ number: null, text: 'one', live: true })
    const entry = play(...events, delta(0, 'tw')).a!
    expect(displayedVersionOf(entry, null)).toEqual({ number: null, text: 'tw', live: true })
    expect(displayedVersionOf(entry, 1).text).toBe('one')
  })

  test('what was written before a failure without a version is still shown', () => {
    const entry = play(part(), delta(0, 'half'), part({ status: 'failed' })).a!
    expect(displayedVersionOf(entry, null)).toEqual({ number: null, text: 'half', live: false })
  })
})

describe('a stored artifact', () => {
  test('has its versions in order and the content of the latest', () => {
    const entry = play({ type: 'loaded', artifact: detail }).a!
    expect(entry.versions.map((version) => version.number)).toEqual([1, 2])
    expect(displayedVersionOf(entry, null)).toEqual({ number: 2, text: 'second', live: false })
    expect(displayedVersionOf(entry, 1).text).toBeNull()
  })

  test('the stored text wins over the streamed one', () => {
    const entry = play(part(), delta(0, 'secon'), part({ status: 'ready', version: 2 }), { type: 'loaded', artifact: detail }).a!
    expect(displayedVersionOf(entry, 2).text).toBe('second')
  })

  test('a version brings its content', () => {
    const entry = play({ type: 'loaded', artifact: detail }, { type: 'version', id: 'a', version: { ...version(1), content: 'first', fileUrl: null } }).a!
    expect(entry.contents[1]).toBe('first')
    expect([versionBefore(entry, 2), versionBefore(entry, 1)]).toEqual([1, null])
  })

  test('a version that was saved here needs no reading', () => {
    const entry = play({ type: 'loaded', artifact: detail }, { type: 'saved', id: 'a', version: version(3), content: 'third' }).a!
    expect(displayedVersionOf(entry, null)).toEqual({ number: 3, text: 'third', live: false })
    expect(isStale(entry)).toBe(false)
  })

  test('a version from elsewhere makes it stale', () => {
    expect(isStale(play({ type: 'loaded', artifact: detail }, part({ status: 'ready', version: 3 })).a!)).toBe(true)
  })

  test('has the suggestions that wait for a decision, each once', () => {
    const streamed = { ...suggestion('s3'), artifactId: 'a' }
    const actions: ArtifactAction[] = [{ type: 'suggestion', part: streamed }, { type: 'suggestion', part: streamed }]
    const entry = play({ type: 'loaded', artifact: detail }, ...actions).a!
    expect(entry.suggestions.map(({ id }) => id)).toEqual(['s1', 's3'])
  })
})
