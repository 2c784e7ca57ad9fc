import { compileMessage } from '@lingui/message-utils/compileMessage'
import { Visitor, type ESTree, type Plugin } from 'vite'

type Edit = { start: number; end: number; text: string }

const MARK = '/*i18n*/'

/** The text of a property of an object literal; undefined: it has none. */
function property(node: ESTree.ObjectExpression, name: string): ESTree.StringLiteral | undefined {
  const found = node.properties.find((part) => part.type === 'Property' && part.key.type === 'Identifier' && part.key.name === name)
  const value = found?.type === 'Property' ? found.value : undefined
  return value?.type === 'Literal' && typeof value.value === 'string' ? value : undefined
}

/** The English messages in a module, which the macros mark, each as the parts that Lingui reads. */
function edits(program: ESTree.Program, code: string): Edit[] {
  const found: Edit[] = []
  const visitor = new Visitor({
    ObjectExpression(node) {
      const message = code.slice(0, node.start).trimEnd().endsWith(MARK) ? property(node, 'message') : undefined
      if (message) found.push({ start: message.start, end: message.end, text: JSON.stringify(compileMessage(message.value)) })
    },
  })
  visitor.visit(program)
  return found
}

/** Compiles English messages where they stand in the code. The page then needs neither a catalogue for English nor Lingui's parser (7 kB gz). */
export const compiledMessages: Plugin = {
  name: 'compiled-messages',
  enforce: 'pre',
  apply: 'build',
  transform: {
    filter: { code: MARK },
    handler(code) {
      const parts = edits(this.parse(code, { lang: 'jsx' }), code).sort((one, other) => other.start - one.start)
      return { code: parts.reduce((text, { start, end, text: message }) => text.slice(0, start) + message + text.slice(end), code), map: null }
    },
  },
}
