import type { ChatMessage } from '../api/messageTypes'

/** The id under which this page sent the message, which stays when the stored one, with an id of the server's, takes its place. */
export const stableId = (message: ChatMessage): string => message.metadata?.clientId || message.id
