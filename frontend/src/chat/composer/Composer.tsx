// Where the user writes: the message box with its draft, the files, the model, and the buttons.
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowUp, Brain, Square } from 'lucide-react'
import { flushSync } from 'react-dom'
import { boot, canWrite } from '../../api/boot'
import type { WaitReason } from '../../api/messageTypes'
import { AssistantChip } from '../../assistants/AssistantChip'
import { useMentions } from '../../assistants/useMentions'
import { AttachmentChips } from '../../files/AttachmentChips'
import { DropHint } from '../../files/DropHint'
import { attachPastedText } from '../../files/pastedFiles'
import { BudgetLine } from '../../limits/BudgetLine'
import { useLimitWarnings } from '../../limits/useLimitWarnings'
import { focusMessageBox, MESSAGE_BOX } from '../../navigation/shortcuts'
import { useProjectOf } from '../../projects/useProjectOf'
import { PromptList } from '../../prompts/PromptList'
import { usePrompts } from '../../prompts/usePrompts'
import { lazyWithRetry } from '../../ui/lazyComponent'
import { useStore } from '../../ui/store'
import type { Session } from '../session/session'
import type { ConversationModel } from '../useConversation'
import { DictateButton, DictationLine } from './DictateButton'
import { insertSpeech } from './dictation'
import { MessageBox } from './MessageBox'
import { ModelMenu } from './ModelMenu'
import { preferThinking } from './modelPreferences'
import { PlusMenu } from './PlusMenu'
import { useSendKey } from './sendKey'
import { SwitchChips } from './SwitchChips'
import { useSwitches } from './switches'
import { useDictation } from './useDictation'
import { useDraft } from './useDraft'

const MentionList = lazyWithRetry(() => import('../../assistants/MentionList'))

/** `takesDrops`: files that are dropped on the page are attached. */
type Props = { session: Session; conversation: ConversationModel; takesDrops?: boolean; placeholder?: string }

/** Why nothing can be sent here, or null. */
function blockedBecause(): string | null {
  const { name } = boot.organization
  if (!canWrite) return boot.role === 'auditor' ? t`View only: your role in ${name} is Auditor.` : t`View only: your role in ${name} is Viewer.`
  if (boot.models.length === 0) return t`No model is switched on yet. An owner or admin can do that in Settings.`
  return null
}

export function Composer({ session, conversation, takesDrops = true, placeholder }: Props) {
  const { t } = useLingui()
  const [text, setText] = useDraft(session, conversation.state)
  const blocked = blockedBecause()
  const switches = useSwitches()
  const { running } = conversation.display
  const { load, connection, waiting, stopping } = conversation.state
  const canStop = running || Boolean(waiting)
  const isHere = load !== 'waiting' && load !== 'loading' // before that nobody knows whether an answer waits for this text
  const { attachments } = session
  const files = useStore(attachments.list)
  useEffect(() => attachments.open(), [attachments])
  const [hasFocus, setFocus] = useState(false)
  const prompts = usePrompts(MESSAGE_BOX, text, setText, hasFocus)
  const dictation = useDictation((words) => insertAtCaret(text, words, setText))
  const { assistant } = conversation
  const mentions = useMentions(text, setText, conversation.chooseAssistant, hasFocus)
  const ownModel = assistant?.item?.modelChoice === 'fixed' ? assistant.item : undefined
  const thinks = (ownModel ?? conversation.model)?.supportsThinking === true
  const chip = !blocked && assistant && <AssistantChip choice={assistant} onClear={() => clearAssistant(conversation)} />
  const project = useProjectOf(session)
  const left = useLimitWarnings(!blocked && text !== '')
  const isEmpty = isHere && conversation.messages.length === 0 // a chat that is loading has the place and the width of one with messages
  const hasContent = text.trim() !== '' || (!canStop && files.some((file) => file.item))
  const canSend = !blocked && hasContent && !(attachments.uploading && !canStop) && isHere && connection !== 'lost'
  const sendsMore = hasContent && !dictation.isListening // beside Stop a phone has room for Send or Dictate
  const send = () => {
    if (!canSend) return
    dictation.stop()
    setText('')
    conversation.send(text.trim())
  }
  return (
    <div className={`column shrink-0 pb-3 ${isEmpty ? 'max-w-[57rem]' : ''}`}>
      <form onSubmit={(event) => event.preventDefault()} className="composer relative">
        <AttachmentChips attachments={attachments} waits={canStop} />
        <div onFocus={() => setFocus(true)} onBlur={(event) => setFocus(event.currentTarget.contains(event.relatedTarget))}>
          {!blocked && <PromptList prompts={prompts} below={isEmpty} />}
          {!blocked && mentions.matches && (
            <Suspense>
              <MentionList mentions={mentions} below={isEmpty} />
            </Suspense>
          )}
          <MessageBox text={text} hint={blocked ? t`Read only` : (placeholder ?? hint(running, waiting, assistant?.item?.name, isEmpty))} blocked={blocked !== null} onChange={setText} onSend={send} onEditLast={() => canWrite && session.messages.openNewest()} onFiles={(added) => attachments.add(added)} onLongPaste={(pasted, box) => attachPastedText(attachments, pasted, box, setText)} prompts={prompts} mentions={mentions} />
        </div>
        <DictationLine dictation={dictation} />
        {chip && <div className="flex px-1 pt-1 sm:hidden">{chip}</div>}
        <div className="mt-1 flex items-center gap-1">
          {!blocked && <PlusMenu attachments={attachments} switches={switches} thinking={thinks ? conversation.thinking : undefined} project={project} onInsert={text === '' ? setText : undefined} below={isEmpty} />}
          {!blocked && <SwitchChips switches={switches} />}
          {!blocked && thinks && <ThinkingToggle on={conversation.thinking} />}
          <span className="min-w-0 max-sm:hidden">{chip}</span>
          <span className="ms-auto" />
          {!blocked && ownModel && <span className="truncate px-2 text-[13px] text-fg3">{ownModel.modelName}</span>}
          {!blocked && !ownModel && conversation.model && <ModelMenu model={conversation.model} onChoose={conversation.chooseModel} />}
          {!blocked && <HiddenOnPhone when={canStop && sendsMore}><DictateButton dictation={dictation} /></HiddenOnPhone>}
          {canStop && <StopButton session={session} stopping={stopping} />}
          {!(canStop && blocked) && <HiddenOnPhone when={canStop && !sendsMore}><SendButton disabled={!canSend} title={canStop ? t`Add to this answer (Enter)` : t`Send (Enter)`} onSend={send} /></HiddenOnPhone>}
        </div>
      </form>
      {!blocked && takesDrops && <DropHint attachments={attachments} />}
      <div className={`mt-2 text-center text-[12px] ${left.budget || left.limit ? 'text-fg2' : 'text-fg3'}`} role="status">
        {blocked ?? (prompts.hasGap ? <GapKeys /> : left.budget ? <BudgetLine budget={left.budget} /> : (left.limit ?? <Trans>AI can make mistakes. Check important facts.</Trans>))}
      </div>
    </div>
  )
}

/** A button for which a narrow screen has no room at times. */
function HiddenOnPhone({ when, children }: { when: boolean; children: ReactNode }) {
  return <span className={when ? 'contents max-sm:hidden' : 'contents'}>{children}</span>
}

/** Writes words where the caret is, and puts it behind them. */
function insertAtCaret(text: string, words: string, setText: (text: string) => void): void {
  const box = document.getElementById(MESSAGE_BOX) as HTMLTextAreaElement | null
  const edit = insertSpeech(text, box?.selectionStart ?? text.length, box?.selectionEnd ?? text.length, words)
  flushSync(() => setText(edit.text)) // the next words may come before another render
  box?.setSelectionRange(edit.caret, edit.caret)
}

/** From now on the chat agent answers. */
function clearAssistant(conversation: ConversationModel): void {
  conversation.chooseAssistant('')
  focusMessageBox()
}

/** What Enter will do with the text. */
function hint(running: boolean, waiting: WaitReason, assistant: string | undefined, isEmpty: boolean): string {
  if (waiting === 'reply') return t`Reply to the assistant…`
  if (waiting === 'approval') return t`Decide above, or write what to do instead…`
  if (waiting === 'client') return t`The page is working. Write to continue without it…`
  if (running) return t`Add to this answer…`
  if (assistant) return t`Ask ${assistant}…`
  return isEmpty ? t`What can I help with?` : t`Ask anything, or describe what to make`
}

/** What the keys do while a prompt has gaps. */
function GapKeys() {
  const sendKey = useSendKey()
  return (
    <span className="pointer-coarse:hidden">
      <Trans><kbd className="kbd">Tab</kbd> next gap</Trans>
      {sendKey === 'enter' && <span className="ms-3"><Trans><kbd className="kbd">Enter</kbd> sends when all are filled</Trans></span>}
    </span>
  )
}

/** Not on the narrowest screens, where the menu beside it has the same switch. */
function ThinkingToggle({ on }: { on: boolean }) {
  return (
    <button type="button" aria-pressed={on} onClick={() => preferThinking(!on)} className="ghost rounded-full px-2.5 max-[22.5rem]:hidden aria-pressed:bg-soft aria-pressed:text-accent">
      <Brain className="size-3.5" aria-hidden />
      <span className="max-sm:sr-only">
        <Trans>Thinking</Trans>
      </span>
    </button>
  )
}

function SendButton({ disabled, title, onSend }: { disabled: boolean; title: string; onSend(): void }) {
  const { t } = useLingui()
  return (
    <button type="button" className="round" aria-label={t`Send`} title={title} disabled={disabled} onClick={onSend}>
      <ArrowUp className="size-4.5" strokeWidth={2.4} aria-hidden />
    </button>
  )
}

function StopButton({ session, stopping }: { session: Session; stopping: boolean }) {
  const { t } = useLingui()
  return (
    <button type="button" className="round-quiet" aria-label={stopping ? t`Stopping` : t`Stop`} title={t`Stop (Esc)`} disabled={stopping || !canWrite} onClick={() => void session.stop()}>
      <Square className="size-3.5 fill-current" aria-hidden />
    </button>
  )
}
