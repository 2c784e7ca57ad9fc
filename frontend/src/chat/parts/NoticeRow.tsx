import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { flushSync } from 'react-dom'
import { ArrowRight, ChevronRight, CircleAlert, Info, Pencil, RotateCcw, Settings, TriangleAlert } from 'lucide-react'
import { boot } from '../../api/boot'
import type { Notice } from '../../api/messageTypes'
import { KeyActions, isAboutKeys } from '../../keys/KeyActions'
import { useStore } from '../../ui/store'
import type { Session } from '../session/session'
import { Countdown } from './Countdown'
import { noticeText } from './noticeTexts'
import { useRetryCountdown } from './useRetryCountdown'

const LOOK = {
  info: { Icon: Info, className: 'text-fg3' },
  warning: { Icon: TriangleAlert, className: 'text-warn' },
  error: { Icon: CircleAlert, className: 'text-bad' },
} as const

/** `session`: the notice ends the newest answer, so that the user can act on it. `send`: how a visitor's text goes out; the session's own way if none is given. */
type Props = { notice: Notice; session?: Session | undefined; send?(text: string): void }

/** What the user should know about an answer, with the way on. */
export function NoticeRow({ notice, session, send }: Props) {
  const { Icon, className } = LOOK[notice.level]
  const left = useRetryCountdown(notice, session)
  const words = noticeText(notice)
  const text = left === null ? words.text : words.text.replace(/ Try again in \d+ s\.$/, '')
  return (
    <div className="flex items-start gap-3 rounded-xl border border-line bg-raise px-3.5 py-3 text-[13.5px]">
      {left === null ? <Icon className={`mt-0.5 size-4.5 shrink-0 ${className}`} aria-hidden /> : <Countdown {...left} />}
      <div className="min-w-0 flex-1">
        <div role={notice.level === 'error' ? 'alert' : 'note'} className="whitespace-pre-line font-medium leading-5.5 [overflow-wrap:anywhere]">
          {text}
        </div>
        {left && <TimeLeft seconds={left.seconds} />}
        {words.details && <NoticeDetails text={words.details} />}
        {session && <NoticeActions notice={notice} session={session} send={send} waits={left !== null} />}
      </div>
    </div>
  )
}

const TimeLeft = ({ seconds }: { seconds: number }) => (
  <p className="mt-0.5 tabular-nums text-fg2">
    <Plural value={seconds} one="Trying again in # second." other="Trying again in # seconds." />
  </p>
)

export function NoticeDetails({ text }: { text: string }) {
  const { t } = useLingui()
  return (
    <details className="group/details mt-1">
      <summary className="flex w-fit list-none items-center gap-1 rounded text-[12.5px] font-medium pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <Trans>Details</Trans>
        <ChevronRight className="size-3.5 transition-transform group-open/details:rotate-90" aria-hidden />
      </summary>
      <pre tabIndex={0} aria-label={t`Details`} className="mt-1 max-h-72 overflow-auto whitespace-pre-wrap font-mono text-[12px] leading-[1.6] [overflow-wrap:anywhere]">
        {text}
      </pre>
    </details>
  )
}

const ACTIONS = {
  retry: { label: msg`Try again`, Icon: RotateCcw },
  continue: { label: msg`Continue`, Icon: ArrowRight },
  settings: { label: msg`Admin settings`, Icon: Settings },
} as const

/** The same question would fail again. */
const NEEDS_ANOTHER_QUESTION = new Set(['content_blocked', 'context_too_long'])

function EditQuestion({ session }: { session: Session }) {
  return (
    <button type="button" className="btn mt-2.5" onClick={() => session.messages.openNewest()}>
      <Pencil className="size-3.5" aria-hidden />
      <Trans>Edit message</Trans>
    </button>
  )
}

type ActionProps = { notice: Notice; session: Session; send: Props['send']; waits: boolean }

function NoticeActions({ notice: { action, code }, session, send, waits }: ActionProps) {
  const { t } = useLingui()
  const act = {
    retry: () => void session.retry(),
    continue: () => (send ? send(t`Continue`) : void session.write(t`Continue`, false)),
    settings: () => boot.adminUrl && location.assign(boot.adminUrl),
  }
  if (NEEDS_ANOTHER_QUESTION.has(code)) return <EditQuestion session={session} />
  if (isAboutKeys(code)) return <KeyActions onRetry={act.retry} />
  if (!action || (action === 'settings' && !boot.adminUrl)) return null
  const { label, Icon } = ACTIONS[action]
  return (
    <div className="mt-2.5 flex flex-wrap gap-2">
      <button type="button" className="btn" onClick={act[action]}>
        <Icon className="size-3.5" aria-hidden />
        {waits ? t`Try now` : t(label)}
      </button>
      {!send && action === 'continue' && (
        <button type="button" className="btn" onClick={() => void session.messages.regenerate()}>
          <RotateCcw className="size-3.5" aria-hidden />
          <Trans>Regenerate</Trans>
        </button>
      )}
      {!send && BUSY.has(code) && <OtherModel session={session} />}
    </div>
  )
}

/** Another provider may answer. */
const BUSY = new Set(['provider_busy', 'provider_unavailable'])

/** Asks the same with a model of another provider. */
function OtherModel({ session }: { session: Session }) {
  const { modelId, assistant } = useStore(session.state)
  const current = boot.models.find(({ id }) => id === (modelId ?? session.stream.options.modelId))
  const other = boot.models.find(({ provider }) => provider !== current?.provider)
  if (!current || !other || assistant) return null
  const { name } = other
  const ask = () => {
    flushSync(() => session.state.patch({ modelId: other.id }))
    void session.retry()
  }
  return (
    <button type="button" className="btn" onClick={ask}>
      <Trans>Use {name}</Trans>
    </button>
  )
}
