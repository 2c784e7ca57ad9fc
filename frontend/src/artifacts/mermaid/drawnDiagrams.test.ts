import { expect, test } from 'vitest'
import { diagramSources } from './drawnDiagrams'

test('finds the diagrams of a text, each once', () => {
  const fence = '```'
  const text = `A\n\n${fence}mermaid\nflowchart TD\n  A --> B\n${fence}\n\n~~~ mermaid\npie\n~~~\n\n${fence}js\nx\n${fence}\n\n${fence}mermaid\npie\n${fence}\n`
  expect(diagramSources(text)).toEqual(['flowchart TD\n  A --> B', 'pie'])
})
