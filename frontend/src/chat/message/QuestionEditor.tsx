import { Suspense, useEffect, useRef, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowUp, GitBranch, X } from 'lucide-react'
import type { FileUIPart } from 'ai'
import type { ChatMessage } from '../../api/messageTypes'
import { mediaMatches } from '../../browser/useMedia'
import { Attachments } from '../../files/attachments'
import { fileIdOf, fileNameOf, filesOf, formatSize } from '../../files/fileParts'
import { pastedFiles } from '../../files/pastedFiles'
import { useFile } from '../../files/useFile'
import { focusMessageBox } from '../../navigation/shortcuts'
import { lazyWithRetry } from '../../ui/lazyComponent'
import { useStore } from '../../ui/store'
import { textOf } from '../messageText'
import type { Session } from '../session/session'

const AddedFiles = lazyWithRetry(() => import('./AddedFiles'))

/** The message has the focus for as long as nothing else takes it. It could always take it, but then each click in it would, and a list that scrolls would lose it. */
function focusArticle(article: HTMLElement): void {
  article.tabIndex = -1
  article.addEventListener('blur', () => article.removeAttribute('tabindex'), { once: true })
  article.focus({ preventScroll: true })
}

/** `onSend`: sends the new text instead; an embedded chat asks its page first, and has no files. */
type QuestionEditorProps = { message: ChatMessage; session: Session; onSend?: (text: string) => Promise<unknown> }

/** A question, edited in its place. Enter sends it as a new branch, Esc leaves it as it was. */
export function QuestionEditor({ message, session, onSend }: QuestionEditorProps) {
  const { t } = useLingui()
  const before = textOf(message)
  const [text, setText] = useState(before)
  const [files, setFiles] = useState<readonly FileUIPart[]>(() => filesOf(message))
  const [added] = useState(() => new Attachments())
  const hasAdded = useStore(added.list).some((file) => file.item)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.setSelectionRange(before.length, before.length)
  }, [before])
  useEffect(
    () => () => {
      for (const { key } of added.list.get()) added.remove(key) // what was not sent
    },
    [added],
  )
  const siblings = message.metadata?.siblings ?? []
  const place = `${Math.max(siblings.indexOf(message.id), 0) + 1}/${Math.max(siblings.length, 1) + 1}`
  const hasChanged = text.trim() !== before.trim() || files.length !== filesOf(message).length || hasAdded
  const canSend = hasChanged && !added.uploading && (text.trim() !== '' || files.length > 0 || hasAdded)
  const close = () => {
    const article = box.current?.closest('article')
    session.state.patch({ editingId: '' })
    if (article) focusArticle(article)
    else focusMessageBox()
  }
  const send = () => {
    if (canSend) void (onSend ? onSend(text.trim()) : session.messages.edit(message, text.trim(), [...files, ...added.take()]))
  }
  const onPaste = (event: React.ClipboardEvent) => {
    const pasted = onSend ? [] : pastedFiles(event)
    if (pasted.length === 0) return
    event.preventDefault()
    added.add(pasted)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && !event.shiftKey && !mediaMatches('(pointer: coarse)')) send()
    else return
    event.preventDefault()
  }
  return (
    <div className="rounded-[20px] border border-accent bg-raise px-4.5 py-3 shadow-[0_0_0_3px_var(--soft)]">
      <textarea
        ref={box}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        rows={1}
        aria-label={t`Edit message`}
        className="block max-h-[40vh] w-full resize-none bg-transparent text-[calc(15.5px*var(--text))] leading-[1.6] outline-none [field-sizing:content]"
      />
      {files.length > 0 && (
        <ul aria-label={t`Files of this message`} className="mt-2 flex flex-wrap gap-2">
          {files.map((file) => (
            <FileChip key={file.url} file={file} onRemove={() => setFiles(files.filter((one) => one !== file))} />
          ))}
        </ul>
      )}
      {!onSend && (
        <Suspense>
          <AddedFiles attachments={added} />
        </Suspense>
      )}
      <div className="mt-2.5 flex flex-wrap items-center justify-end gap-2">
        <p className="flex min-w-0 flex-1 basis-56 items-center max-sm:basis-full gap-1.5 text-[12.5px] text-fg2">
          <GitBranch className="size-3.5 shrink-0" aria-hidden />
          <Trans>Sends a new branch. What you have now stays under ‹ {place} ›.</Trans>
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

function FileChip({ file, onRemove }: { file: FileUIPart; onRemove(): void }) {
  const { t } = useLingui()
  const name = fileNameOf(file)
  const item = useFile(fileIdOf(file))
  return (
    <li className="flex max-w-full items-center gap-1 rounded-lg border border-line py-0.5 ps-2.5 pe-0.5 text-[13px]">
      <span className="truncate">{name}</span>
      {item && <span className="shrink-0 text-[12px] text-fg3">{formatSize(item.sizeBytes)}</span>}
      <button type="button" className="icon size-7 pointer-coarse:size-11" aria-label={t`Remove ${name}`} title={t`Remove`} onClick={onRemove}>
        <X className="size-3.5" aria-hidden />
      </button>
    </li>
  )
}
