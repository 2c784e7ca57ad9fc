// The tools above the rich editor. Arrow keys walk through them, Tab goes on to the text.
import { useLingui } from '@lingui/react/macro'
import {
  Bold, ChevronDown, Code, Italic, Link, List, ListOrdered, ListTodo, MessageSquarePlus, Plus, Redo2, Search, Strikethrough, Table, Undo2, type LucideIcon,
} from 'lucide-react'
import { redo, redoDepth, undo, undoDepth } from 'prosemirror-history'
import type { Command, EditorState } from 'prosemirror-state'
import { addColumnAfter, addColumnBefore, addRowAfter, addRowBefore, deleteColumn, deleteRow, deleteTable, isInTable } from 'prosemirror-tables'
import { DropdownMenu, Toolbar as Bar } from 'radix-ui'
import { shortcutLabel } from '../../navigation/shortcuts'
import { useBlockChoices } from './blockChoices'
import { codeBlock, heading, isMarked, levelOf, listOf, mark, quote, rule, table, toggleList, type MarkName } from './commands'
import { schema } from './markdown/schema'
import type { RichEditor } from './useRichEditor'

type Tool = { readonly icon: LucideIcon; readonly label: string; readonly shortcut?: string; readonly active?: boolean; readonly disabled?: boolean; onSelect(): void }

function ToolButton({ icon: Icon, label, shortcut, active, disabled, onSelect }: Tool) {
  return (
    <Bar.Button
      className="icon size-7.5 aria-pressed:bg-soft aria-pressed:text-accent pointer-coarse:size-11"
      aria-label={label}
      title={shortcut ? `${label} (${shortcut})` : label}
      aria-pressed={active}
      disabled={disabled}
      onMouseDown={(event) => event.preventDefault() /* keeps the selection */}
      onClick={onSelect}
    >
      <Icon className="size-4" aria-hidden />
    </Bar.Button>
  )
}

const Line = () => <Bar.Separator className="mx-1 h-4 w-px shrink-0 bg-line @max-[34rem]:mx-0.5" />

type Props = { editor: RichEditor; state: EditorState; onLink(): void; onFind(): void; onComment?: () => void }

export function Toolbar({ editor, state, onLink, onFind, onComment }: Props) {
  const { t } = useLingui()
  const { run } = editor
  const markItem = (name: MarkName) => ({ active: isMarked(state, schema.marks[name]), onSelect: () => run(mark(name)) })
  const list = listOf(state)
  const listTool = (name: 'bullet' | 'ordered' | 'task') => ({ active: list === name, onSelect: () => run(toggleList(name)) })
  return (
    <Bar.Root aria-label={t`Formatting`} className="@container flex h-10.5 shrink-0 items-center overflow-x-auto border-b border-line px-2 pointer-coarse:h-13">
      <BlockMenu state={state} run={run} />
      <Line />
      <ToolButton icon={Bold} label={t`Bold`} shortcut={shortcutLabel('B')} {...markItem('strong')} />
      <ToolButton icon={Italic} label={t`Italic`} shortcut={shortcutLabel('I')} {...markItem('em')} />
      <ToolButton icon={Strikethrough} label={t`Strikethrough`} shortcut={shortcutLabel('X', true)} {...markItem('strike')} />
      <ToolButton icon={Code} label={t`Code`} shortcut={shortcutLabel('E')} {...markItem('code')} />
      <Line />
      <ToolButton icon={List} label={t`Bulleted list`} shortcut={shortcutLabel('8', true)} {...listTool('bullet')} />
      <ToolButton icon={ListOrdered} label={t`Numbered list`} shortcut={shortcutLabel('7', true)} {...listTool('ordered')} />
      <ToolButton icon={ListTodo} label={t`Task list`} shortcut={shortcutLabel('9', true)} {...listTool('task')} />
      <Line />
      <ToolButton icon={Link} label={t`Link`} shortcut={shortcutLabel('K')} active={isMarked(state, schema.marks.link)} onSelect={onLink} />
      {isInTable(state) ? <TableMenu run={run} /> : <InsertMenu run={run} />}
      {onComment && <ToolButton icon={MessageSquarePlus} label={t`Comment`} disabled={state.selection.empty} onSelect={onComment} />}
      <span className="ms-auto flex items-center ps-1 @max-[34rem]:ps-0">
        <ToolButton icon={Undo2} label={t`Undo`} shortcut={shortcutLabel('Z')} disabled={undoDepth(state) === 0} onSelect={() => run(undo)} />
        <ToolButton icon={Redo2} label={t`Redo`} shortcut={shortcutLabel('Z', true)} disabled={redoDepth(state) === 0} onSelect={() => run(redo)} />
        <ToolButton icon={Search} label={t`Find and replace`} shortcut={shortcutLabel('F')} onSelect={onFind} />
      </span>
    </Bar.Root>
  )
}

type Run = RichEditor['run']
const LEVELS = [0, 1, 2, 3, 4] as const

/** Radix would move the focus back to the button, away from the text. */
const keepFocus = (event: Event) => event.preventDefault()

function BlockMenu({ state, run }: { state: EditorState; run: Run }) {
  const { t } = useLingui()
  const level = levelOf(state)
  const name = (of: number | null) => (of === null ? t`Text` : of === 0 ? t`Paragraph` : t`Heading ${of}`)
  const current = name(level)
  return (
    <DropdownMenu.Root modal={false}>
      <Bar.Button asChild>
        <DropdownMenu.Trigger className="ghost w-26 shrink-0 justify-between pointer-coarse:min-h-11" aria-label={t`Style: ${current}`} disabled={isInTable(state)}>
          <span className="truncate">{current}</span>
          <ChevronDown className="size-3.5 shrink-0" aria-hidden />
        </DropdownMenu.Trigger>
      </Bar.Button>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise" align="start" sideOffset={6} onCloseAutoFocus={keepFocus}>
          {LEVELS.map((of) => (
            <DropdownMenu.Item key={of} className="menu-item" onSelect={() => run(heading(of))}>
              <span className={of === level ? 'font-semibold' : ''}>{name(of)}</span>
              <span className="ms-auto ps-4 text-fg3">{shortcutLabel(`Alt+${of}`)}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const IN_MENU = [table, quote, codeBlock, rule]

function InsertMenu({ run }: { run: Run }) {
  const { t } = useLingui()
  const choices = useBlockChoices().filter(({ command }) => IN_MENU.includes(command))
  return (
    <DropdownMenu.Root modal={false}>
      <Bar.Button asChild>
        <DropdownMenu.Trigger className="icon size-7.5 pointer-coarse:size-11" aria-label={t`Insert`} title={t`Insert`}>
          <Plus className="size-4" aria-hidden />
        </DropdownMenu.Trigger>
      </Bar.Button>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise" align="start" sideOffset={6} onCloseAutoFocus={keepFocus}>
          {choices.map(({ icon: Icon, label, command }) => (
            <DropdownMenu.Item key={label} className="menu-item" onSelect={() => run(command)}>
              <Icon className="size-4 text-fg3" aria-hidden />
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function TableMenu({ run }: { run: Run }) {
  const { t } = useLingui()
  const item = (label: string, command: Command) => (
    <DropdownMenu.Item key={label} className="menu-item" onSelect={() => run(command)}>
      {label}
    </DropdownMenu.Item>
  )
  return (
    <DropdownMenu.Root modal={false}>
      <Bar.Button asChild>
        <DropdownMenu.Trigger className="icon size-7.5 bg-soft text-accent pointer-coarse:size-11" aria-label={t`Table`} title={t`Table`}>
          <Table className="size-4" aria-hidden />
        </DropdownMenu.Trigger>
      </Bar.Button>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise" align="start" sideOffset={6} onCloseAutoFocus={keepFocus}>
          {item(t`Row above`, addRowBefore)}
          {item(t`Row below`, addRowAfter)}
          {item(t`Column before`, addColumnBefore)}
          {item(t`Column after`, addColumnAfter)}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          {item(t`Delete row`, deleteRow)}
          {item(t`Delete column`, deleteColumn)}
          {item(t`Delete table`, deleteTable)}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
