import { expect, it } from 'vitest'
import { isClosedFence } from './fences'

it.each([
  ['```mermaid\nflowchart LR\n```', true],
  ['```mermaid\nflowchart LR\n```\n', true],
  ['~~~~mermaid\nA\n~~~~', true],
  ['```mermaid\n```', true],
  ['```mermaid\nflowchart LR\n', false],
  ['```mermaid\nflowchart LR\n``', false],
  ['```mermaid', false],
  ['````mermaid\nA\n```', false],
  ['    indented', false],
])('%j is closed: %s', (raw, closed) => expect(isClosedFence(raw)).toBe(closed))
