import { WebSocketChatTransport } from 'ai'
import { boot } from '../../api/boot'
import type { ChatMessage } from '../../api/messageTypes'

/** One socket for every conversation of the page. The server owns the history, so only the newest message travels. */
export const transport = new WebSocketChatTransport<ChatMessage>({
  url: boot.socketUrl,
  prepareSendMessagesRequest: ({ messages, body }) => ({ messages: messages.slice(-1), body }),
})
