// The AI SDK's chat and its transport. Loaded apart from the page, which can be read and written in without them.
import { AbstractChat, WebSocketChatTransport } from 'ai'
import { boot } from '../../api/boot'
import { credentials, ProvenSocket } from '../../api/credentials'
import type { ChatMessage } from '../../api/messageTypes'

export class SdkChat extends AbstractChat<ChatMessage> {}

/** One socket for all conversations of the page. The server has the history, so only the newest message is sent. */
export const transport = new WebSocketChatTransport<ChatMessage>({
  url: boot.socketUrl,
  webSocket: ProvenSocket as unknown as NonNullable<ConstructorParameters<typeof WebSocketChatTransport<ChatMessage>>[0]['webSocket']>,
  headers: async () => {
    await credentials()?.headers() // before the socket is opened
    return {}
  },
  prepareSendMessagesRequest: ({ messages, body }) => ({ messages: messages.slice(-1), body }),
})
