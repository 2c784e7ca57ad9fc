import { useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { mediaMatches } from '../browser/useMedia'

/** The id of the element that shortcuts focus. */
export const MESSAGE_BOX = 'message'

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** The name of a shortcut on this platform. */
export function shortcutLabel(letter: string, shift = false): string {
  if (isMac) return `${shift ? '⇧' : ''}⌘${letter}`
  return shift ? t`Ctrl+Shift+${letter}` : t`Ctrl+${letter}`
}

/** The name of Ctrl or Cmd with a key, such as Enter. */
export const shortcutKey = (key: string): string => (isMac ? `⌘ ${key}` : t`Ctrl ${key}`)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))

const focus = (id: string): void => document.getElementById(id)?.focus()

export const focusMessageBox = (): void => focus(MESSAGE_BOX)

/** For a user who may type next. On a touch screen the keyboard would cover half of what was to be seen. */
export function returnToMessageBox(): void {
  if (!mediaMatches('(pointer: coarse)')) focusMessageBox()
}

type Shortcuts = { newChat(): void; search(): void; help(): void; sidebar(): void; copyAnswer(): void }

/** Shortcuts of the page, with Ctrl or Cmd: K for the search, Shift+O for a new chat, Shift+C for a copy of the newest answer, B for the sidebar; `/` for the message box, `?` for help. */
export function useShortcuts({ newChat, search, help, sidebar, copyAnswer }: Shortcuts): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const command = event.metaKey || event.ctrlKey
      const key = event.key.toLowerCase()
      if (event.defaultPrevented) return // an editor took it
      if (command && key === 'k') search()
      else if (command && event.shiftKey && key === 'o') newChat()
      else if (command && event.shiftKey && key === 'c') copyAnswer()
      else if (command && !event.shiftKey && !event.altKey && key === 'b') sidebar()
      else if ((key === '/' && command) || (key === '?' && !command && !isTyping(event.target))) help()
      else if (key === '/' && !command && !isTyping(event.target)) focusMessageBox()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [newChat, search, help, sidebar, copyAnswer])
}
