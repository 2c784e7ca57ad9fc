import { expect, test } from 'vitest'
import { defaultsOf, nameFor, namesIn, newPlaceholder, placeholdersOf, segmentsOf } from './placeholders'

const BODY = 'Dear {{ customer }}, order {{order_number}} of {{customer}}, {{secret:key}}.'

test('gaps are named once; those of secrets are none', () => {
  expect(namesIn(BODY)).toEqual(['customer', 'order_number'])
})

test('a text is shown with what was typed, else with labels; gaps that nobody asks for stay', () => {
  const placeholders = placeholdersOf(BODY, 'text', [], new Set())
  expect(placeholders.map(({ label }) => label)).toEqual(['Customer', 'Order number'])
  const segments = segmentsOf(BODY, placeholders, { ...defaultsOf(placeholders), customer: 'Ann' })
  expect(segments.map(({ text }) => text).join('')).toBe('Dear Ann, order Order number of Ann, {{secret:key}}.')
  expect(segments.filter(({ name }) => name === 'customer')).toHaveLength(2)
})

test('what was said about a placeholder outlives an edit, and braces of programs are placeholders only when asked for', () => {
  const definitions = [{ ...newPlaceholder('order_number'), required: true }]
  expect(placeholdersOf('{{order_number}} {{new}}', 'text', definitions, new Set()).map(({ name, required }) => [name, required])).toEqual([
    ['order_number', true],
    ['new', false],
  ])
  expect(placeholdersOf('a{{hexagon}} {{b}}', 'mermaid', [], new Set(['b'])).map(({ name }) => name)).toEqual(['b'])
})

test('a selection gives a name that is free', () => {
  expect(nameFor('Green coffee, from Kenya today', [])).toBe('green_coffee_from_kenya')
  expect(nameFor('Green coffee', ['green_coffee'])).toBe('green_coffee_2')
  expect(nameFor('?!', [])).toBe('value')
})
