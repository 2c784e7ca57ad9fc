import type { ProjectItem } from '../api/generated'
import type { Session } from '../chat/session/session'
import { useConversations } from '../conversations/store'
import { useStore } from '../ui/store'
import { useProject } from './store'

/** The project of a conversation; of a new chat, the one that it will be in. */
export function useProjectOf(session: Session): ProjectItem | undefined {
  const own = useStore(session.state).projectId
  const conversation = useConversations().items.find(({ id }) => id === session.id)
  return useProject(conversation ? conversation.projectId : own)
}
