import { expect, test } from 'vitest'
import { diagramSources } from './drawnDiagrams'

test('finds the diagrams of a text, each once', () => {
  const fence = '```'
  const text = `A\n\n${fence}mermaid\nflowchart TD\n  A --> B\n${fence}\n\n~~~ mermaid\npie\n~~~\n\n${fence}js\nx\n${fence}\n\n${fence}mermaid\npie\n${fence}\n`
  expect(diagramSources(text)).toEqual(['flowchart TD\n  A --> B', 'pie'])
})

test('takes no diagram out of a block that shows how one is written, and reads a long text at once', () => {
  expect(diagramSources('````\n```mermaid\npie\n```\n````\n```mermaid\ngraph\n```')).toEqual(['graph'])
  expect(diagramSources('```mermaid\n'.repeat(95_000))).toEqual([])
})
