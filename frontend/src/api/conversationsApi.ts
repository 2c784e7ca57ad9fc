import { boot } from './boot'
import { queryString, request } from './client'
import type { ConversationItem, ConversationPage, ConversationReaders, Decision, Feedback, InputAccepted, MessageAccepted, MessagePlace, RunMessage, StopAccepted } from './generated'
import type { Conversation } from './messageTypes'

export const conversationsApi = {
  list: (cursor: string | null, limit: number) => request<ConversationPage>('GET', `conversations/${queryString({ cursor, limit })}`),
  get: (id: string, before?: string, limit?: number) => request<Conversation>('GET', `conversations/${id}/${queryString({ before, limit })}`),
  rename: (id: string, title: string) => request<ConversationItem>('PATCH', `conversations/${id}/`, { title }),
  chooseAssistant: (id: string, assistant: string) => request<ConversationItem>('PATCH', `conversations/${id}/`, { assistant }),
  restore: (id: string) => request<ConversationItem>('POST', `conversations/${id}/restore/`),
  remove: (id: string) => request<null>('DELETE', `conversations/${id}/`),
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
  decide: (id: string, approvalId: string, decision: Decision) => request<InputAccepted>('POST', `conversations/${id}/approvals/${approvalId}/`, decision),
}

/** The address of a conversation's export file. */
export const conversationExportUrl = (id: string, format: string): string => `${boot.api}/conversations/${id}/export/${queryString({ format })}`
