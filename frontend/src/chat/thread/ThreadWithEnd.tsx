import type { Session } from '../session/session'
import type { ConversationModel } from '../useConversation'
import { EndOfThread } from './EndOfThread'
import { Thread } from './Thread'

/** The messages and what is below the last of them. */
export function ThreadWithEnd({ session, conversation }: { session: Session; conversation: ConversationModel }) {
  return (
    <Thread session={session} conversation={conversation}>
      <EndOfThread session={session} conversation={conversation} />
    </Thread>
  )
}
