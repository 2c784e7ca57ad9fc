// One button for all that can be added to a message, or switched for it.
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import { useLingui } from '@lingui/react/macro'
import { AtSign, Brain, ChevronRight, FolderGit2, Library, Paperclip, Plus, TextCursorInput } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot } from '../../api/boot'
import type { ProjectItem } from '../../api/generated'
import { useAssistants } from '../../assistants/assistants'
import type { Attachments } from '../../files/attachments'
import { focusMessageBox, shortcutLabel } from '../../navigation/shortcuts'
import { visibleText } from '../../plainText/segments'
import { lazyWithRetry } from '../../ui/lazyComponent'
import { preferThinking } from './modelPreferences'
import { SwitchIcon } from './SwitchChips'
import { flip, type SwitchState } from './switches'

const ProjectFilesDialog = lazyWithRetry(() => import('../../projects/ProjectFilesDialog'))
const GithubDialog = lazyWithRetry(() => import('../../github/GithubDialog'))

type Props = {
  attachments: Attachments
  switches: readonly SwitchState[]
  /** Whether the model thinks; undefined: it can't. */
  thinking: boolean | undefined
  /** Of the conversation, if any. */
  project: ProjectItem | undefined
  /** Writes what asks for a list into the message box; undefined: it has other text. */
  onInsert: ((text: string) => void) | undefined
  /** The composer stands high: the menu opens below it. */
  below: boolean
}

const GAP_PX = 8

/** How far the menu has to be from its button to clear the composer. */
function distance(button: HTMLElement | null, below: boolean): number {
  const form = button?.closest('form')?.getBoundingClientRect()
  const own = button?.getBoundingClientRect()
  if (!form || !own) return GAP_PX
  return GAP_PX + (below ? form.bottom - own.bottom : own.top - form.top)
}

export function PlusMenu({ attachments, switches, thinking, project, onInsert, below }: Props) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const focusBox = useRef(false)
  const button = useRef<HTMLButtonElement>(null)
  const [away, setAway] = useState(GAP_PX)
  const [source, setSource] = useState<'github' | 'project'>()
  const chooseFiles = () => input.current?.click()
  useAttachShortcut(chooseFiles)
  const assistants = useAssistants()
  const insert = (text: string) => {
    focusBox.current = true
    onInsert?.(text)
  }
  const platform = switches.filter((one) => one.isPlatforms)
  const own = switches.filter((one) => !one.isPlatforms)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t`Files`}
        onChange={(event) => {
          attachments.add([...(event.target.files ?? [])])
          event.target.value = '' // the same file can be chosen again
        }}
      />
      <DropdownMenu.Root modal={false} onOpenChange={() => setAway(distance(button.current, below))}>
        <DropdownMenu.Trigger ref={button} className="icon aria-expanded:bg-hover" aria-label={t`Add files and more`} title={t`Add files and more`}>
          <Plus className="size-4.5" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            className="menu rise max-h-[70vh] w-74 max-w-[calc(100vw-1rem)] overflow-y-auto"
            side={below ? 'bottom' : 'top'}
            align="start"
            sideOffset={away}
            collisionPadding={8}
            onCloseAutoFocus={(event) => {
              if (!focusBox.current) return
              focusBox.current = false
              event.preventDefault()
              focusMessageBox()
            }}
          >
            <DropdownMenu.Item className="menu-item" onSelect={chooseFiles}>
              <Row icon={<Paperclip className="size-4 text-fg3" aria-hidden />} label={t`Add files`} hint={t`Pictures, PDF, Office, CSV, code`} />
              <kbd className="kbd pointer-coarse:hidden">{shortcutLabel('U')}</kbd>
            </DropdownMenu.Item>
            {boot.usesGithub && (
              <DropdownMenu.Item className="menu-item" onSelect={() => setSource('github')}>
                <Row icon={<FolderGit2 className="size-4 text-fg3" aria-hidden />} label={t`From GitHub`} />
                <ChevronRight className="size-4 text-fg3" aria-hidden />
              </DropdownMenu.Item>
            )}
            {project && project.fileCount > 0 && (
              <DropdownMenu.Item className="menu-item" onSelect={() => setSource('project')}>
                <Row icon={<Library className="size-4 text-fg3" aria-hidden />} label={t`From project files`} />
                <ChevronRight className="size-4 text-fg3" aria-hidden />
              </DropdownMenu.Item>
            )}
            {(platform.length > 0 || thinking !== undefined) && <Separator />}
            {platform.map((one) => <SwitchItem key={one.key} icon={<SwitchIcon one={one} />} label={one.label} hint={one.hint} isOn={one.isOnNow} onFlip={() => flip(one)} />)}
            {thinking !== undefined && (
              <SwitchItem icon={<Brain className="size-4" aria-hidden />} label={t`Thinking`} hint={t`Slower, better at hard questions`} isOn={thinking} onFlip={() => preferThinking(!thinking)} />
            )}
            {own.length > 0 && (
              <DropdownMenu.Group aria-label={visibleText(boot.organization.name)}>
                <DropdownMenu.Label className="truncate px-2.5 pb-1 pt-2 text-[12px] font-semibold text-fg3">{visibleText(boot.organization.name)}</DropdownMenu.Label>
                {own.map((one) => <SwitchItem key={one.key} icon={<SwitchIcon one={one} />} label={visibleText(one.label)} hint={visibleText(one.hint)} isOn={one.isOnNow} onFlip={() => flip(one)} />)}
              </DropdownMenu.Group>
            )}
            <Separator />
            <InsertItem icon={<TextCursorInput className="size-4 text-fg3" aria-hidden />} label={t`Insert a prompt`} text="/" onInsert={onInsert && insert} />
            {assistants.length > 0 && <InsertItem icon={<AtSign className="size-4 text-fg3" aria-hidden />} label={t`Choose an assistant`} text="@" onInsert={onInsert && insert} />}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense fallback={null}>
        {source === 'github' && <GithubDialog attachments={attachments} onClose={() => setSource(undefined)} />}
        {source === 'project' && project && <ProjectFilesDialog project={project} attachments={attachments} onClose={() => setSource(undefined)} />}
      </Suspense>
    </>
  )
}

/** Ctrl/Cmd+U opens the files, wherever the focus is. */
function useAttachShortcut(chooseFiles: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'u') return
      event.preventDefault()
      chooseFiles()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

const Separator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />

function Row({ icon, label, hint }: { icon: ReactNode; label: string; hint?: string }) {
  return (
    <>
      {icon}
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{label}</span>
        {hint && <span className="block truncate text-[12px] text-fg3">{hint}</span>}
      </span>
    </>
  )
}

type InsertItemProps = { icon: ReactNode; label: string; text: string; onInsert: ((text: string) => void) | undefined }

/** Opens a list by what one would type for it. */
function InsertItem({ icon, label, text, onInsert }: InsertItemProps) {
  return (
    <DropdownMenu.Item className="menu-item data-[disabled]:opacity-40" disabled={!onInsert} onSelect={() => onInsert?.(text)}>
      <Row icon={icon} label={label} />
      <kbd className="kbd pointer-coarse:hidden">{text}</kbd>
    </DropdownMenu.Item>
  )
}

type SwitchItemProps = { icon: ReactNode; label: string; hint: string; isOn: boolean; onFlip(): void }

/** Flips without closing the menu. */
function SwitchItem({ icon, label, hint, isOn, onFlip }: SwitchItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      className="menu-item"
      checked={isOn}
      onSelect={(event) => {
        event.preventDefault()
        onFlip()
      }}
    >
      <Row icon={<span className="text-fg3">{icon}</span>} label={label} hint={hint} />
      <span className="switch" data-on={isOn} aria-hidden />
    </DropdownMenu.CheckboxItem>
  )
}
