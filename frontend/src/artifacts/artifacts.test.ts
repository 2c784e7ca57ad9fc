import { expect, test } from 'vitest'
import type { ArtifactPart } from '../api/artifactTypes'
import { fileName } from '../browser/download'
import { withArtifact } from './summaries'

test.each([
  ['Incident report', 'md', 'Incident report.md'],
  ['../a/b: c?', 'md', 'a b c.md'],
  ['Übersicht 2026', 'csv', 'Übersicht 2026.csv'],
  ['???', 'md', 'document.md'],
  ['main.go', 'txt', 'main.go'],
  ['Notes.md', 'md', 'Notes.md'],
  ['v1.2', 'py', 'v1.2.py'],
])('the file of %s of the type %s', (title, extension, name) => {
  expect(fileName(title, extension)).toBe(name)
})

const part: ArtifactPart = { id: 'a', title: 'Plan', kind: 'text', status: 'streaming', version: null, operation: 'create', callId: 'c' }

test('a new document joins the list, a later version only changes its row', () => {
  const one = withArtifact([], part)
  const two = withArtifact(one, { ...part, status: 'ready', version: 1 })
  expect(one).toEqual([{ id: 'a', title: 'Plan', kind: 'text', latestVersion: 0 }])
  expect(two).toEqual([{ id: 'a', title: 'Plan', kind: 'text', latestVersion: 1 }])
  expect(withArtifact(two, part)).toBe(two)
})
