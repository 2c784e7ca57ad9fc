import { mediaMatches, WIDE } from '../../browser/useMedia'
import { pastedFiles } from '../../files/AttachButton'
import { MESSAGE_BOX } from '../../navigation/shortcuts'

type Props = { text: string; hint: string; blocked: boolean; onChange(text: string): void; onSend(): void; onEditLast(): void; onFiles(files: readonly File[]): void }

export function MessageBox({ text, hint, blocked, onChange, onSend, onEditLast, onFiles }: Props) {
  const onPaste = (event: React.ClipboardEvent) => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowUp' && text === '') return onEditLast()
    const plainEnter = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
    if (!plainEnter || mediaMatches('(pointer: coarse)')) return // on a phone Enter is the only way to a new line
    event.preventDefault()
    onSend()
  }
  return (
    <textarea
      id={MESSAGE_BOX}
      autoFocus={mediaMatches(WIDE)}
      value={text}
      disabled={blocked}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      rows={1}
      aria-label="Message"
      placeholder={hint}
      className="block max-h-[40vh] w-full resize-none bg-transparent px-3 pb-1 pt-2 text-[15.5px] leading-[1.55] outline-none [field-sizing:content] placeholder:text-fg3"
    />
  )
}
