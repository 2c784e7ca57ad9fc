import { queryString, request } from './client'
import type { BatchResult, ConversationBatch, ConversationChange, ConversationItem, ConversationPage, ConversationReaders, Decision, Feedback, InputAccepted, MessageAccepted, MessagePlace, RunMessage, StopAccepted } from './generated'
import type { Conversation } from './messageTypes'

/** Which list is read; without any, the member's own. */
export type ListFilter = { readonly archived?: 'true'; readonly projectId?: string }

export const conversationsApi = {
  list: (cursor: string | null, limit: number, filter: ListFilter = {}) => request<ConversationPage>('GET', `conversations/${queryString({ cursor, limit, ...filter })}`),
  get: (id: string, before?: string, limit?: number) => request<Conversation>('GET', `conversations/${id}/${queryString({ before, limit })}`),
  /** A page that begins with a message, or with the first one written at a time or later; it has no messages if there is none. */
  getFrom: (id: string, from: { readonly from: string } | { readonly since: string }, limit?: number) => request<Conversation>('GET', `conversations/${id}/${queryString({ ...from, limit })}`),
  change: (id: string, change: ConversationChange) => request<ConversationItem>('PATCH', `conversations/${id}/`, change),
  /** One act on one or several conversations. */
  batch: (ids: readonly string[], act: ConversationBatch['act'], projectId?: string | null) => request<BatchResult>('POST', 'conversation-batches/', { ids, act, projectId }),
  chooseAssistant: (id: string, assistant: string) => request<ConversationItem>('PATCH', `conversations/${id}/`, { assistant }),
  markAsRead: (id: string) => request<null>('POST', `conversations/${id}/seen/`),
  findMessage: (id: string, messageId: string) => request<MessagePlace>('GET', `conversations/${id}/messages/${messageId}/`),
  showBranch: (id: string, messageId: string) => request<null>('POST', `conversations/${id}/branch/`, { messageId }),
  removeMessage: (id: string, messageId: string) => request<null>('DELETE', `conversations/${id}/messages/${messageId}/`),
  setFeedback: (id: string, messageId: string, feedback: Feedback) => request<null>('PUT', `conversations/${id}/messages/${messageId}/feedback/`, feedback),
  clearFeedback: (id: string, messageId: string) => request<null>('DELETE', `conversations/${id}/messages/${messageId}/feedback/`),
  readers: (id: string) => request<ConversationReaders>('GET', `conversations/${id}/readers/`),
  shareWithAdmins: (id: string) => request<ConversationReaders>('PUT', `conversations/${id}/readers/`, {}),
  stopSharing: (id: string) => request<ConversationReaders>('DELETE', `conversations/${id}/readers/`),
  stop: (id: string) => request<StopAccepted>('POST', `conversations/${id}/stop/`),
  sendInput: (id: string, message: RunMessage) => request<MessageAccepted>('POST', `conversations/${id}/input/`, message),
  giveToolOutput: (id: string, toolCallId: string, result: { readonly output: unknown } | { readonly errorText: string }) =>
    request<InputAccepted>('POST', `conversations/${id}/tool-outputs/`, { toolCallId, ...result }),
  archive: (id: string) => request<null>('POST', `conversations/${id}/archive/`),
  remove: (id: string) => request<null>('DELETE', `conversations/${id}/`),
  decide: (id: string, approvalId: string, decision: Decision) => request<InputAccepted>('POST', `conversations/${id}/approvals/${approvalId}/`, decision),
}
