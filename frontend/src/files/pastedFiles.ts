// What is pasted into a message box.
import { t } from '@lingui/core/macro'
import { flushSync } from 'react-dom'
import { showToast } from '../ui/toasts'
import type { Attachments } from './attachments'

/** A longer text becomes a file, so that the question beside it stays readable. */
export const MAX_PASTED_CHARS = 4000

/** Files of a paste; text that comes with them (a table from a spreadsheet also has a picture of it) wins. */
export function pastedFiles(event: React.ClipboardEvent): readonly File[] {
  const { files, types } = event.clipboardData
  return types.includes('text/plain') ? [] : [...files]
}

const UNDO_MS = 6000

/** Attaches a text that was pasted into `box` as a file. For a moment that can be undone: the text is then written where the caret is. */
export function attachPastedText(attachments: Attachments, pasted: string, box: HTMLTextAreaElement, setText: (text: string) => void): void {
  const [key] = attachments.add([new File([pasted], t`Pasted text.txt`, { type: 'text/plain' })])
  const undo = () => {
    const isThere = box.isConnected && attachments.list.get().some((one) => one.key === key)
    if (!key || !isThere) return // it was sent or removed, or another chat is open
    attachments.remove(key)
    const { value, selectionStart, selectionEnd } = box
    const caret = selectionStart + pasted.length
    flushSync(() => setText(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd)))
    box.focus()
    box.setSelectionRange(caret, caret)
  }
  showToast(t`The long text is attached as a file.`, { label: t`Undo`, act: undo }, UNDO_MS)
}
