import { useLingui } from '@lingui/react/macro'
import { Heading1, Heading2, Heading3, List, ListOrdered, ListTodo, Minus, Quote, SquareCode, Table, type LucideIcon } from 'lucide-react'
import type { Command } from 'prosemirror-state'
import { codeBlock, heading, quote, rule, table, toggleList } from './commands'

/** A kind of block that can be inserted. `markdown`: what Markdown begins it with, by which it is found, too. */
export type BlockChoice = { readonly icon: LucideIcon; readonly label: string; readonly markdown: string; readonly command: Command }

export function useBlockChoices(): readonly BlockChoice[] {
  const { t } = useLingui()
  const headings = [Heading1, Heading2, Heading3].map((icon, index) => {
    const of = index + 1
    return { icon, label: t`Heading ${of}`, markdown: '#'.repeat(of), command: heading(of) }
  })
  return [
    ...headings,
    { icon: List, label: t`Bulleted list`, markdown: '-', command: toggleList('bullet') },
    { icon: ListOrdered, label: t`Numbered list`, markdown: '1.', command: toggleList('ordered') },
    { icon: ListTodo, label: t`Task list`, markdown: '[]', command: toggleList('task') },
    { icon: Table, label: t`Table`, markdown: '|', command: table },
    { icon: Quote, label: t({ message: 'Quote', context: 'block' }), markdown: '>', command: quote },
    { icon: SquareCode, label: t`Code block`, markdown: '```', command: codeBlock },
    { icon: Minus, label: t`Divider`, markdown: '---', command: rule },
  ]
}
