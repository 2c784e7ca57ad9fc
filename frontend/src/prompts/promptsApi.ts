import { request } from '../api/client'
import type { NewSavedPrompt, SavedPromptItem, SavedPromptList } from '../api/generated'

export const promptsApi = {
  list: () => request<SavedPromptList>('GET', 'prompts/'),
  create: (prompt: NewSavedPrompt) => request<SavedPromptItem>('POST', 'prompts/', prompt),
  change: (id: string, prompt: NewSavedPrompt) => request<SavedPromptItem>('PUT', `prompts/${id}/`, prompt),
  remove: (id: string) => request<null>('DELETE', `prompts/${id}/`),
}
