import { useEffect, useRef, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowUp, GitBranch, X } from 'lucide-react'
import type { FileUIPart } from 'ai'
import type { ChatMessage } from '../../api/messageTypes'
import { mediaMatches } from '../../browser/useMedia'
import { fileNameOf, filesOf } from '../../files/fileParts'
import { focusMessageBox } from '../../navigation/shortcuts'
import { textOf } from '../messageText'
import type { Session } from '../session/session'

/** A question, edited in its place. Enter sends it as a new branch, Esc leaves it as it was. */
/** `onSend`: sends the new text instead; an embedded chat asks its page first. */
type QuestionEditorProps = { message: ChatMessage; session: Session; onSend?: (text: string) => Promise<unknown> }

export function QuestionEditor({ message, session, onSend }: QuestionEditorProps) {
  const { t } = useLingui()
  const before = textOf(message)
  const [text, setText] = useState(before)
  const [files, setFiles] = useState<readonly FileUIPart[]>(() => filesOf(message))
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.setSelectionRange(before.length, before.length)
  }, [before])
  const hasChanged = text.trim() !== before.trim() || files.length !== filesOf(message).length
  const canSend = hasChanged && (text.trim() !== '' || files.length > 0)
  const close = () => {
    session.state.patch({ editingId: '' })
    focusMessageBox()
  }
  const send = () => {
    if (canSend) void (onSend ? onSend(text.trim()) : session.messages.edit(message, text.trim(), files))
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && !event.shiftKey && !mediaMatches('(pointer: coarse)')) send()
    else return
    event.preventDefault()
  }
  return (
    <div className="rounded-[20px] border border-accent bg-raise px-4.5 py-3 shadow-pop">
      <textarea
        ref={box}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        rows={1}
        aria-label={t`Edit message`}
        className="block max-h-[40vh] w-full resize-none bg-transparent text-[calc(15.5px*var(--text))] leading-[1.6] outline-none [field-sizing:content]"
      />
      {files.length > 0 && (
        <ul aria-label={t`Files of this message`} className="mt-2 flex flex-wrap gap-2">
          {files.map((file) => (
            <KeptFile key={file.url} name={fileNameOf(file)} onRemove={() => setFiles(files.filter((one) => one !== file))} />
          ))}
        </ul>
      )}
      <div className="mt-2.5 flex flex-wrap items-center justify-end gap-2">
        <p className="flex min-w-0 flex-1 basis-56 items-center max-sm:basis-full gap-1.5 text-[12.5px] text-fg2">
          <GitBranch className="size-3.5 shrink-0" aria-hidden />
          <Trans>Sends a new branch. What you have now stays beside it.</Trans>
        </p>
        <button type="button" className="ghost" onClick={close}>
          <Trans>Cancel</Trans> <kbd className="kbd pointer-coarse:hidden"><Trans>Esc</Trans></kbd>
        </button>
        <button type="button" className="btn-primary" disabled={!canSend} onClick={send}>
          <ArrowUp className="size-3.5" aria-hidden />
          <Trans>Send</Trans>
        </button>
      </div>
    </div>
  )
}

function KeptFile({ name, onRemove }: { name: string; onRemove(): void }) {
  const { t } = useLingui()
  return (
    <li className="flex max-w-full items-center gap-1 rounded-lg border border-line py-0.5 ps-2.5 pe-0.5 text-[13px]">
      <span className="truncate">{name}</span>
      <button type="button" className="icon size-7" aria-label={t`Remove ${name}`} title={t`Remove`} onClick={onRemove}>
        <X className="size-3.5" aria-hidden />
      </button>
    </li>
  )
}
