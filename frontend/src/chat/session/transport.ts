import { WebSocketChatTransport } from 'ai'
import { boot } from '../../api/boot'
import type { ChatMessage } from '../../api/messageTypes'

/** One socket for all conversations of the page. The server has the history, so only the newest message is sent. */
export const transport = new WebSocketChatTransport<ChatMessage>({
  url: boot.socketUrl,
  prepareSendMessagesRequest: ({ messages, body }) => ({ messages: messages.slice(-1), body }),
})
