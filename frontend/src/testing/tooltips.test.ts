// Whoever points at an icon reads what it does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type ESTree } from 'vite'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')

const attribute = (node: ESTree.JSXOpeningElement, name: string): ESTree.JSXAttribute | undefined =>
  node.attributes.find((one): one is ESTree.JSXAttribute => one.type === 'JSXAttribute' && one.name.name === name)

/** Whether the class is `icon`: a button that shows a picture alone. */
function isIcon(node: ESTree.JSXOpeningElement): boolean {
  const value = attribute(node, 'className')?.value
  if (value?.type === 'Literal') return /^icon( |$)/.test(value.value)
  const className = value?.type === 'JSXExpressionContainer' && value.expression.type === 'TemplateLiteral' ? value.expression.quasis[0]!.value.raw : ''
  return /^icon( |$)/.test(className)
}

/** Lines with an icon that has no tooltip. */
function withoutTooltip(path: string, code: string): readonly number[] {
  const lines: number[] = []
  const note = (node: ESTree.JSXOpeningElement) => void (isIcon(node) && !attribute(node, 'title') && lines.push(code.slice(0, node.start).split('\n').length))
  new Visitor({ JSXOpeningElement: note }).visit(parseSync(path, code).program)
  return lines
}

test('the search finds icons without a tooltip', () => {
  const code = "const A = () => <><b className='icon size-8' /><b className='icon' title='Close' />\n<b className={`icon ${a}`} /><b className='icons' /></>"
  expect(withoutTooltip('a.tsx', code)).toEqual([1, 2])
})

test('every icon has a tooltip', () => {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx$/.test(name) && !/\.test\./.test(name))
  const places = paths.flatMap((name) => withoutTooltip(name, readFileSync(join(SOURCE, name), 'utf8')).map((line) => `${name}:${line}`))
  expect(paths.length).toBeGreaterThan(100)
  expect(places).toEqual([])
})
