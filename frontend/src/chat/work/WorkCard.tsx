import { useId, useState, type ReactNode } from 'react'
import type { DynamicToolUIPart } from 'ai'
import { i18n } from '@lingui/core'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, List } from 'lucide-react'
import type { ChatPart } from '../../api/messageTypes'
import { duration } from '../../language/numbers'
import { ExternalLink } from '../../markdown/ExternalLink'
import { PlainText } from '../../plainText/PlainText'
import { progressSummary, useToolProgress } from '../session/toolProgress'
import { stepsOf } from './agentSteps'
import { sourcesOf, type Source } from './citedSources'
import { Reasoning } from './Reasoning'
import { RefusalReason } from './RefusalReason'
import { STATE_LOOKS, StateIcon, type ShownState } from './StateIcon'
import { toolState, type AnswerState } from './toolState'
import { callLabel } from './toolLabels'
import { useElapsed } from './useElapsed'
import { askingCalls, innerCalls, type WorkItem } from './workBlocks'
import { callGist, countsOf, timeOf, workTitle } from './workSummary'
import { WorkflowLine } from './WorkflowLine'

const isCall = (item: WorkItem): item is DynamicToolUIPart => item.type === 'dynamic-tool'

/** A call with the state of its row. What happens inside of a call that is over is over, too. */
type Row = { readonly call: DynamicToolUIPart; readonly state: ShownState }

function rowsOf(call: DynamicToolUIPart, siblings: readonly ChatPart[], answer: AnswerState): readonly Row[] {
  const outer = shownState(call, answer)
  const inner = innerCalls(call, siblings)
  if (inner[0] === call) return [{ call, state: outer }]
  const within = outer === 'running' || outer === 'waits' || outer === 'allowed' ? answer : { live: false, waiting: null }
  return inner.map((one) => ({ call: one, state: shownState(one, within) }))
}

function shownState(call: DynamicToolUIPart, answer: AnswerState): ShownState {
  const state = toolState(call, answer)
  return state === 'asks' ? 'waits' : state
}

const wordsOf = ({ call, state }: Row): string => callLabel(call, state === 'done' || state === 'failed' ? state : 'open')

/** The state of the whole: what still runs, then what waits, then how all ended. */
function stateOf(rows: readonly Row[]): ShownState {
  const states = rows.map((row) => row.state)
  const open = (['running', 'waits', 'page', 'allowed'] as const).find((state) => states.includes(state))
  return open ?? states.at(-1) ?? 'done'
}

type Props = {
  items: readonly WorkItem[]
  siblings: readonly ChatPart[]
  answer: AnswerState
  /** Nothing stands below it yet, so that more may follow. */
  last: boolean
  /** Everything about a call: its inputs, its steps and its result. */
  renderDetails(call: DynamicToolUIPart, alone: boolean): ReactNode
  renderRequest(call: DynamicToolUIPart): ReactNode
}

/** One piece of work: what was done in plain words, the steps inside, and everything else under Details. */
export function WorkCard({ items, siblings, answer, last, renderDetails, renderRequest }: Props) {
  const { t } = useLingui()
  const [choice, setChoice] = useState<boolean>()
  const body = useId()
  const calls = items.filter(isCall)
  const rows = calls.flatMap((call) => rowsOf(call, siblings, answer))
  const lines = items.filter((item) => item.type === 'data-workflow')
  const requests = answer.live || answer.waiting ? calls.flatMap((call) => askingCalls(stepsOf(siblings, call.toolCallId))) : []
  const rowsState = rows.length ? stateOf(rows) : 'done'
  const state = last && answer.live && rowsState !== 'waits' ? 'running' : rowsState
  const running = state === 'running'
  const elapsed = useElapsed(running)
  const current = rows.findLast((row) => row.state === state)
  const progress = progressSummary(useToolProgress(calls.at(-1)?.toolCallId ?? ''))
  const sources = calls.length ? sourcesOf({ parts: calls.flatMap((call) => stepsOf(siblings, call.toolCallId)) }) : []
  const count = rows.length || lines.length
  const single = count === 1
  const open = choice ?? false
  const title = single && rows[0] ? wordsOf(rows[0]) : running ? t`Working` : rows.length ? workTitle(rows.map((row) => row.call), rows.some((row) => row.state === 'done')) : t`Worked`
  const gist = single ? (rows[0] ? callGist(rows[0].call) : lines[0]?.data.text) : running && current ? t`step ${count}` : rows.length ? countsOf(rows.map((row) => row.call)) : plural(count, { one: '# step', other: '# steps' })
  const ms = timeOf(calls) ?? elapsed
  const failed = rows.filter((row) => row.state === 'failed').length
  const word = single || !failed || running ? '' : plural(failed, { one: '# failed', other: '# failed' })
  return (
    <section role="group" className="rounded-xl border border-line bg-raise" aria-label={t`Work`}>
      <button type="button" className="flex min-h-10 w-full pointer-coarse:min-h-11 items-center gap-2.5 rounded-xl px-3.5 text-start text-[13.5px]" aria-expanded={open} aria-controls={body} onClick={() => setChoice(!open)}>
        <StateIcon state={state} />
        <span className="shrink-0 font-semibold max-sm:shrink max-sm:truncate">
          <PlainText text={title} />
        </span>
        <span className="min-w-0 truncate text-fg2">
          <PlainText text={(running && progress) || gist || ''} />
        </span>
        <span className="ms-auto shrink-0 ps-1 text-[12.5px] tabular-nums text-fg3">{[STATE_LOOKS[state].isShown && (!word || state !== 'failed') ? t(STATE_LOOKS[state].word) : word, allowedWord(rows, state), ms !== undefined && duration(ms)].filter(Boolean).join(' · ')}</span>
        <ChevronRight className={`size-3.5 shrink-0 text-fg3 transition-transform ${open ? 'rotate-90' : ''}`} aria-hidden />
      </button>
      {single && rows[0] && <RefusalReason call={rows[0].call} state={rows[0].state} className="px-3.5 pb-2.5 ps-10" />}
      {sources.length > 0 && <SourceChips sources={sources} />}
      {requests.length > 0 && <div className="space-y-3 border-t border-line p-3">{requests.map((call) => <div key={call.toolCallId}>{renderRequest(call)}</div>)}</div>}
      <div id={body} hidden={!open} className="border-t border-line px-3.5 py-2.5">
        {open && (
          <>
            {!single && <Steps items={items} siblings={siblings} answer={answer} />}
            {calls.length > 0 && <Details startsOpen={single}>{calls.map((call) => <div key={call.toolCallId}>{renderDetails(call, calls.length === 1)}</div>)}</Details>}
          </>
        )}
      </div>
    </section>
  )
}

const allowedWord = (rows: readonly Row[], state: ShownState): string => (state === 'done' && rows.some((row) => row.call.approval?.approved) ? i18n._(STATE_LOOKS.allowed.word) : '')

/** The steps in order, each in one line. */
function Steps({ items, siblings, answer }: { items: readonly WorkItem[]; siblings: readonly ChatPart[]; answer: AnswerState }) {
  const { t } = useLingui()
  return (
    <ul aria-label={t`Steps`} className="space-y-2 pb-1 text-[13.5px]">
      {items.flatMap((item, index) => {
        if (item.type === 'data-workflow') return [<li key={index}><WorkflowLine step={item.data} live={answer.live} /></li>]
        if (item.type === 'reasoning') return [<li key={index} className="empty:hidden"><Reasoning part={item} live={answer.live && item.state === 'streaming'} /></li>]
        return rowsOf(item, siblings, answer).map((row) => <StepRow key={row.call.toolCallId} row={row} />)
      })}
    </ul>
  )
}

function StepRow({ row }: { row: Row }) {
  const ms = timeOf([row.call])
  const { t } = useLingui()
  const { word, isShown } = STATE_LOOKS[row.state]
  return (
    <li>
      <div className="flex min-w-0 items-center gap-2.5">
        <StateIcon state={row.state} />
        <span className="shrink-0 font-medium">
          <PlainText text={wordsOf(row)} />
        </span>
        <span className="min-w-0 truncate text-fg2">
          <PlainText text={callGist(row.call)} />
        </span>
        <span className="ms-auto shrink-0 ps-1 text-[12.5px] tabular-nums text-fg3">{[isShown && t(word), ms !== undefined && duration(ms)].filter(Boolean).join(' · ')}</span>
      </div>
      <RefusalReason call={row.call} state={row.state} className="px-3.5 pb-2.5 ps-10" />
    </li>
  )
}

/** `startsOpen`: there are no steps to show before. */
function Details({ startsOpen, children }: { startsOpen: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(startsOpen)
  const body = useId()
  return (
    <>
      {!startsOpen && (
        <button type="button" className="ghost -ms-2 mt-1" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
          <List className="size-3.5" aria-hidden />
          <Trans>Details</Trans>
        </button>
      )}
      <div id={body} hidden={!open} className="space-y-2 pt-1">
        {open && children}
      </div>
    </>
  )
}

const MAX_CHIPS = 4
const COLOURS = ['text-accent bg-soft', 'text-ok bg-ok-soft', 'text-warn bg-warn-soft', 'text-bad bg-bad-soft'] as const

/** The first pages that the work rests on. */
function SourceChips({ sources }: { sources: readonly Source[] }) {
  const { t } = useLingui()
  const more = sources.length - MAX_CHIPS
  return (
    <ul aria-label={t`Pages`} className="flex flex-wrap gap-1.5 px-3.5 pb-3 ps-10 text-[12.5px] max-sm:ps-3.5">
      {sources.slice(0, MAX_CHIPS).map((source, index) => (
        <li key={source.url} className="min-w-0">
          <ExternalLink href={source.url} className="flex min-h-7 max-w-[13rem] items-center gap-1.5 rounded-lg bg-side px-1.5 text-fg2 hover:bg-hover pointer-coarse:min-h-11">
            <span className={`grid size-4.5 shrink-0 place-items-center rounded text-[10px] font-bold uppercase ${COLOURS[index % COLOURS.length]}`} aria-hidden>
              {source.host.slice(0, 1)}
            </span>
            <span className="truncate">
              <PlainText text={source.title || source.host} prose />
            </span>
          </ExternalLink>
        </li>
      ))}
      {more > 0 && <li className="flex min-h-7 items-center rounded-lg bg-side px-2 text-fg3"><Trans>{more} more</Trans></li>}
    </ul>
  )
}
