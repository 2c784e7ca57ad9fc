import { useChoices } from '../preferences/choices'
import { useAssistants } from './assistants'

/** The key of the assistant with which new chats begin; '' is the chat agent, also where the chosen one is gone. */
export function useDefaultAssistant(): string {
  const { defaultAssistant } = useChoices()
  return useAssistants().some(({ key }) => key === defaultAssistant) ? defaultAssistant : ''
}
