import { useLingui } from '@lingui/react/macro'
import { MENTION_LIST, mentionOptionId, type Mentions } from '../../assistants/useMentions'
import { mediaMatches, WIDE } from '../../browser/useMedia'
import { MAX_PASTED_CHARS, pastedFiles } from '../../files/pastedFiles'
import { MESSAGE_BOX } from '../../navigation/shortcuts'
import { PROMPT_LIST, promptOptionId } from '../../prompts/PromptList'
import type { Prompts } from '../../prompts/usePrompts'
import { useSendKey } from './sendKey'

type Props = { text: string; hint: string; blocked: boolean; onChange(text: string): void; onSend(): void; onEditLast(): void; onFiles(files: readonly File[]): void; onLongPaste(text: string, box: HTMLTextAreaElement): void; prompts: Prompts; mentions: Mentions }

export function MessageBox({ text, hint, blocked, onChange, onSend, onEditLast, onFiles, onLongPaste, prompts, mentions }: Props) {
  const { t } = useLingui()
  const sendKey = useSendKey()
  const onPaste = (event: React.ClipboardEvent<HTMLTextAreaElement>) => {
    const files = pastedFiles(event)
    const pasted = event.clipboardData.getData('text/plain')
    const isLong = pasted.length > MAX_PASTED_CHARS
    if (files.length === 0 && !isLong) return
    event.preventDefault()
    if (isLong) onLongPaste(pasted, event.currentTarget)
    else onFiles(files)
  }
  const prompt = prompts.matches?.[prompts.active]
  const mention = mentions.matches?.[mentions.active]
  const list = mentions.matches ? MENTION_LIST : prompts.matches ? PROMPT_LIST : undefined
  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (mentions.handleKey(event) || prompts.handleKey(event)) return
    if (event.key === 'ArrowUp' && text === '') return onEditLast()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    const command = event.ctrlKey || event.metaKey
    if (!command && (sendKey === 'ctrl-enter' || mediaMatches('(pointer: coarse)'))) return // on a phone Enter is the only way to a new line
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
      aria-label={t`Message`}
      aria-controls={list}
      aria-activedescendant={mention ? mentionOptionId(mention) : prompt && promptOptionId(prompt)}
      placeholder={hint}
      className="block max-h-[40vh] w-full resize-none bg-transparent px-3 pb-1 pt-2 text-[calc(15.5px*var(--text))] leading-[1.55] outline-none [field-sizing:content] placeholder:text-fg3"
    />
  )
}
