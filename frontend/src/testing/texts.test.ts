// What a reader sees comes from the message catalogues (docs/decisions/0042-languages.md).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type ESTree } from 'vite'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')
/** The same in every language. */
const NAMES = /^(Parley|CSV|PDF|JSON|Markdown|A|\.\w+|https:\/\/\S+)$/
const TEXT_ATTRIBUTES = new Set(['alt', 'aria-description', 'aria-label', 'aria-placeholder', 'aria-roledescription', 'aria-valuetext', 'label', 'placeholder', 'says', 'title'])
const MACROS = new Set(['Trans', 'Plural', 'Select', 'SelectOrdinal'])

const isText = (value: string): boolean => /\p{L}/u.test(value) && !NAMES.test(value.trim())

/** The strings that an expression can be, as far as they are written in it. Those with a tag, such as t`…`, are translated. */
function stringsOf(node: ESTree.Node): readonly string[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : []
  if (node.type === 'TemplateLiteral') return [node.quasis.map((part) => part.value.raw).join(' ')]
  if (node.type === 'ConditionalExpression') return [...stringsOf(node.consequent), ...stringsOf(node.alternate)]
  if (node.type === 'LogicalExpression') return [...stringsOf(node.left), ...stringsOf(node.right)]
  return node.type === 'ParenthesizedExpression' ? stringsOf(node.expression) : []
}

const isMacro = ({ openingElement: { name } }: ESTree.JSXElement): boolean => name.type === 'JSXIdentifier' && MACROS.has(name.name)

const childTexts = (children: readonly ESTree.JSXChild[]): readonly string[] =>
  children.flatMap((child) => (child.type === 'JSXText' ? [child.value] : child.type === 'JSXExpressionContainer' ? stringsOf(child.expression) : []))

function attributeTexts({ name, value }: ESTree.JSXAttribute): readonly string[] {
  if (!value || name.type !== 'JSXIdentifier' || !TEXT_ATTRIBUTES.has(name.name)) return []
  return stringsOf(value.type === 'JSXExpressionContainer' ? value.expression : value)
}

const toastTexts = ({ callee, arguments: args }: ESTree.CallExpression): readonly string[] =>
  callee.type === 'Identifier' && callee.name === 'showToast' ? args.flatMap(stringsOf) : []

/** The texts of a module that no catalogue knows. */
function untranslated(path: string, code: string): readonly string[] {
  const problems: string[] = []
  let macros = 0
  const note = (texts: readonly string[]) => void (macros === 0 && problems.push(...texts.filter(isText).map((text) => text.trim())))
  const visitor = new Visitor({
    JSXElement(node) {
      if (isMacro(node)) macros++
      note(childTexts(node.children))
    },
    'JSXElement:exit': (node) => void (isMacro(node) && macros--),
    JSXFragment: (node) => note(childTexts(node.children)),
    JSXAttribute: (node) => note(attributeTexts(node)),
    CallExpression: (node) => note(toastTexts(node)),
  })
  visitor.visit(parseSync(path, code).program)
  return problems
}

test('the search finds texts of all sorts, and lets translated ones pass', () => {
  const code = "const A = () => <p title='One' className='two'>Three<b>{x ? 'Four' : t`five`}</b><Trans>six <i>seven</i></Trans>{showToast(`Eight ${n}`)}</p>"
  expect(untranslated('a.tsx', code)).toEqual(['Three', 'One', 'Four', 'Eight'])
})

test('every text on the page is in a message catalogue', () => {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !/\.test\.|^testing\//.test(name))
  const problems = paths.flatMap((name) => untranslated(name, readFileSync(join(SOURCE, name), 'utf8')).map((text) => `${name}: ${text}`))
  expect(paths.length).toBeGreaterThan(100)
  expect(problems).toEqual([])
})
