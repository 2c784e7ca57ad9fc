// The frame: header, messages, message box. It is as large as the page around it lets it be.
import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { Trans } from '@lingui/react/macro'
import { LogIn, RotateCcw, SquarePen, X } from 'lucide-react'
import { loadSdk } from '../chat/session/chat'
import type { Session } from '../chat/session/session'
import { INITIAL_STATE, type SessionState } from '../chat/session/sessionState'
import { announcement } from '../chat/session/status'
import { focusMessageBox } from '../navigation/shortcuts'
import { showLanguage } from '../language/language'
import { OfflinePill } from '../notifications/OfflinePill'
import { Mark } from '../ui/Brand'
import { createStore, useStore } from '../ui/store'
import { Toasts } from '../ui/toasts'
import { frameBoot } from './boot'
import { openTransfer } from './transfer'
import { Messages } from './Messages'
import { askToClose, onCall, onConfig } from './port'
import type { FrameConfig } from './protocol'
import { useVisitorConversation } from './useVisitorConversation'
import { clear, regenerate, remove, sendFromPage, setMessages, startVisit, stop, visit } from './visit'
import { VisitorComposer } from './VisitorComposer'

const { look } = frameBoot
const nothing = createStore<SessionState>(INITIAL_STATE)

export function EmbedApp({ first }: { first: FrameConfig }) {
  useLingui()
  const [config, setConfig] = useState(first)
  const { session, problem } = useStore(visit)
  useEffect(() => {
    void loadSdk().catch(() => undefined) // the first send tries again
    onConfig((later) => {
      setConfig(later)
      if (later.lang) void showLanguage(later.lang).catch(() => undefined)
    })
    void startVisit()
  }, [])
  const isDrawer = config.mode === 'drawer'
  const onKeyDown = (event: React.KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && isDrawer && askToClose()
  return (
    <div className="flex h-full flex-col" onKeyDown={onKeyDown}>
      <Header title={config.words.heading || look.title} session={session} closes={isDrawer} />
      {problem && <Problem text={problem} />}
      {session && <Conversation key={session.id} session={session} words={config.words} />}
      <Toasts />
    </div>
  )
}

function Header({ title, session, closes }: { title: string; session: Session | null; closes: boolean }) {
  const { load } = useStore(session?.state ?? nothing)
  return (
    <header className="flex shrink-0 items-center gap-3 border-b border-line px-4 py-3">
      <span className="grid size-9 shrink-0 place-items-center rounded-[10px] bg-soft text-[15px] font-semibold text-accent" aria-hidden>
        {[...title][0]?.toUpperCase()}
      </span>
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-[14.5px] font-semibold">{title}</h1>
        {look.subtitle && <p className="truncate text-[12.5px] text-fg3">{look.subtitle}</p>}
      </div>
      {frameBoot.membersMayKeep && session && load === 'ready' && (
        <button type="button" className="icon" aria-label={t`Keep in your account`} title={t`Sign in and keep this conversation in your account`} onClick={() => void openTransfer(session)}>
          <LogIn className="size-4" aria-hidden />
        </button>
      )}
      {session && load === 'ready' && (
        <button type="button" className="icon" aria-label={t`New conversation`} title={t`New conversation`} onClick={() => void clear(session).then(focusMessageBox)}>
          <SquarePen className="size-4" aria-hidden />
        </button>
      )}
      {closes && (
        <button type="button" className="icon" aria-label={t`Close`} title={t`Close (Esc)`} onClick={askToClose}>
          <X className="size-4.5" aria-hidden />
        </button>
      )}
    </header>
  )
}

function Problem({ text }: { text: string }) {
  return (
    <div className="p-4">
      <div role="alert" className="alert-bad">
        <p className="min-w-0 flex-1">{text}</p>
        <button type="button" className="btn" onClick={() => void startVisit()}>
          <RotateCcw className="size-3.5" aria-hidden />
          <Trans>Try again</Trans>
        </button>
      </div>
    </div>
  )
}

function Conversation({ session, words }: { session: Session; words: FrameConfig['words'] }) {
  const conversation = useVisitorConversation(session)
  const [scrolls, setScrolls] = useState(0)
  const { display, state, messages } = conversation
  useEffect(
    () =>
      onCall(({ name, argument }) => {
        if (name === 'send') void sendFromPage(argument)
        else if (name === 'set-messages') setMessages(argument)
        else if (name === 'stop') stop(session)
        else if (name === 'regenerate') regenerate(session)
        else if (name === 'clear') void clear(session)
        else if (name === 'delete') void remove(session)
        else if (name === 'scroll') setScrolls((count) => count + 1)
        else focusMessageBox()
      }),
    [session],
  )
  return (
    <>
      <Messages session={session} conversation={conversation} greeting={words.greeting || look.greeting} scrolls={scrolls} />
      <div className="flex shrink-0 justify-center has-[p]:pb-1.5">
        <OfflinePill />
      </div>
      <VisitorComposer session={session} conversation={conversation} placeholder={words.placeholder || look.placeholder} />
      <p className="flex shrink-0 items-center justify-center gap-1 px-4 pb-2.5 text-[11.5px] text-fg3">
        <Trans>AI can make mistakes</Trans>
        {look.showsBrand && (
          <span className="inline-flex items-center gap-1">
            · <Trans>with</Trans> <Mark className="size-3" /> <span className="font-semibold text-fg2">Parley</span>
          </span>
        )}
      </p>
      <p className="sr-only" role="status">{announcement(display, state.waiting, messages.length > 0)}</p>
    </>
  )
}
