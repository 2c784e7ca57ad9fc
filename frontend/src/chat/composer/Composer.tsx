import { useEffect, useState } from 'react'
import { ArrowUp, Brain, Square } from 'lucide-react'
import type { WaitReason } from '../../api/messageTypes'
import { boot, canWrite } from '../../api/boot'
import { MESSAGE_BOX } from '../../navigation/shortcuts'
import { AttachButton, pastedFiles } from '../../files/AttachButton'
import { AttachmentChips } from '../../files/AttachmentChips'
import { DropHint } from '../../files/DropHint'
import { GithubButton } from '../../github/GithubButton'
import { useStore } from '../../ui/store'
import { mediaMatches, WIDE } from '../../browser/useMedia'
import { readDraft, writeDraft } from '../../browser/drafts'
import { ModelMenu } from './ModelMenu'
import { preferThinking } from './modelPreferences'
import type { Session } from '../session/session'
import type { ConversationModel } from '../useConversation'

type Props = { session: Session; conversation: ConversationModel }

/** Why nothing can be sent here, or null. */
function blockedBecause(): string | null {
  if (!canWrite) return `You can read here, but not write: your role in ${boot.organization.name} is viewer.`
  if (boot.models.length === 0) return 'No model is switched on yet. An owner or admin can do that in Settings.'
  return null
}

/** The text of the message box, which survives reloads. A new chat stores it under one fixed id until it is sent. */
function useDraft(session: Session, returned: string): [string, (text: string) => void] {
  const id = () => (session.state.get().load === 'new' ? 'new' : session.id)
  const [text, setText] = useState(() => readDraft(id()))
  const change = (next: string) => {
    setText(next)
    writeDraft(id(), next)
  }
  useEffect(() => {
    if (!returned) return
    change(text ? `${returned}\n\n${text}` : returned)
    session.state.patch({ returnedText: '' })
  }) // after each render; it acts only once, when a message came back
  return [text, change]
}

export function Composer({ session, conversation }: Props) {
  const [text, setText] = useDraft(session, conversation.state.returnedText)
  const blocked = blockedBecause()
  const { running } = conversation.display
  const { load, connection, waiting, stopping } = conversation.state
  const canStop = running || Boolean(waiting)
  const isHere = load !== 'waiting' && load !== 'loading' // before that nobody knows whether an answer waits for this text
  const { attachments } = session
  const files = useStore(attachments.list)
  useEffect(() => attachments.open(), [attachments])
  const hasContent = text.trim() !== '' || (!canStop && files.some((file) => file.item))
  const canSend = !blocked && hasContent && !(attachments.uploading && !canStop) && isHere && connection !== 'lost'
  const send = () => {
    if (!canSend) return
    setText('')
    conversation.send(text.trim())
  }
  return (
    <div className="column shrink-0 pb-3">
      <form onSubmit={(event) => event.preventDefault()} className="composer">
        <AttachmentChips attachments={attachments} held={canStop} />
        <MessageBox text={text} hint={blocked ? 'Read only' : hint(running, waiting)} blocked={blocked !== null} onChange={setText} onSend={send} onFiles={(added) => attachments.add(added)} />
        <div className="mt-1 flex items-center gap-1">
          {!blocked && <AttachButton attachments={attachments} />}
          {!blocked && boot.usesGithub && <GithubButton attachments={attachments} />}
          {!blocked && conversation.model?.supportsThinking && <ThinkingToggle on={conversation.thinking} />}
          <span className="ml-auto" />
          {!blocked && conversation.model && <ModelMenu model={conversation.model} onChoose={conversation.chooseModel} />}
          {canStop && <StopButton session={session} stopping={stopping} />}
          {!(canStop && blocked) && <SendButton disabled={!canSend} title={canStop ? 'Add to this answer (Enter)' : 'Send (Enter)'} onSend={send} />}
        </div>
      </form>
      {!blocked && <DropHint attachments={attachments} />}
      <p className="mt-2 text-center text-[12px] text-fg3">{blocked ?? footnote()}</p>
    </div>
  )
}

const footnote = (): string =>
  boot.provider?.isDemo ? 'Demo provider: scripted answers, no model is called.' : 'Answers can be wrong. Check what matters.'

/** What Enter will do with the text. */
function hint(running: boolean, waiting: WaitReason): string {
  if (waiting === 'reply') return 'Reply to the assistant…'
  if (waiting === 'approval') return 'Decide above, or write what to do instead…'
  if (waiting === 'client') return 'The page is working; write to go on without it…'
  return running ? 'Add to this answer…' : 'Ask anything, or describe what to write'
}

type BoxProps = { text: string; hint: string; blocked: boolean; onChange(text: string): void; onSend(): void; onFiles(files: readonly File[]): void }

function MessageBox({ text, hint, blocked, onChange, onSend, onFiles }: BoxProps) {
  const onPaste = (event: React.ClipboardEvent) => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
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

function ThinkingToggle({ on }: { on: boolean }) {
  return (
    <button type="button" aria-pressed={on} onClick={() => preferThinking(!on)} className="ghost rounded-full px-2.5 aria-pressed:bg-soft aria-pressed:text-accent">
      <Brain className="size-3.5" aria-hidden />
      Thinking
    </button>
  )
}

function SendButton({ disabled, title, onSend }: { disabled: boolean; title: string; onSend(): void }) {
  return (
    <button type="button" className="round" aria-label="Send" title={title} disabled={disabled} onClick={onSend}>
      <ArrowUp className="size-4.5" strokeWidth={2.4} aria-hidden />
    </button>
  )
}

function StopButton({ session, stopping }: { session: Session; stopping: boolean }) {
  return (
    <button type="button" className="round-quiet" aria-label={stopping ? 'Stopping' : 'Stop'} title="Stop (Esc)" disabled={stopping || !canWrite} onClick={() => void session.stop()}>
      <Square className="size-3.5 fill-current" aria-hidden />
    </button>
  )
}
