import type { DynamicToolUIPart } from 'ai'
import type { WaitReason } from '../../api/messageTypes'

/** The state of a tool call for the reader. `asks`: it waits for the user's decision. `waits`: it waits for a decision about another call. `page`: it waits for the page around the chat. */
export type ToolState = 'running' | 'done' | 'failed' | 'stopped' | 'asks' | 'allowed' | 'denied' | 'waits' | 'page'

/** The state of the answer around the call. In an answer that neither streams nor waits, an open call was stopped. */
export type AnswerState = { readonly live: boolean; readonly waiting: WaitReason }

export function toolState(part: DynamicToolUIPart, answer: AnswerState): ToolState {
  switch (part.state) {
    case 'output-available':
      return 'done'
    case 'output-error':
      return 'failed'
    case 'output-denied':
      return 'denied'
    case 'approval-requested':
      return openCallState(answer, 'asks', 'asks')
    case 'approval-responded':
      return part.approval.approved ? openCallState(answer, 'running', 'allowed') : 'denied'
    case 'input-available':
      return openCallState(answer, 'running', answer.waiting === 'client' ? 'page' : 'waits')
    default:
      return openCallState(answer, 'running', 'waits')
  }
}

const openCallState = ({ live, waiting }: AnswerState, whileLive: ToolState, whileWaiting: ToolState): ToolState => (live ? whileLive : waiting ? whileWaiting : 'stopped')
