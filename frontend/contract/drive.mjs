// Drives a Parley server with the unmodified AI SDK, as a foreign client would.
//   node contract/drive.mjs <ws|http> <base URL> <Cookie header> <CSRF token> <organization slug> <action>
// <action> is JSON: {"action": "send", "chatId", "text", "messageId"?, "body"?} or {"action": "resume", "chatId"}.
// Prints one line of JSON:
//   {"status", "error", "finishReason", "resumed": true | false | null, "messages": [UIMessage], "transient": [data part]}
// `resumed` is false when the server had nothing to resume, and null for a send.
import { AbstractChat, DefaultChatTransport, WebSocketChatTransport } from 'ai'

const [kind, baseUrl, cookie, csrfToken, slug, actionJson] = process.argv.slice(2)
const action = JSON.parse(actionJson)
const origin = new URL(baseUrl).origin
const TIMEOUT_MS = 60_000

/** Node's WebSocket takes the handshake headers that a browser would send by itself. */
class SignedInWebSocket extends WebSocket {
  constructor(url, protocols = []) {
    super(url, { protocols, headers: { cookie, origin } })
  }
}

const lastMessageOnly = ({ messages, body, id, trigger, messageId }) =>
  kind === 'ws' ? { messages: messages.slice(-1), body } : { body: { id, messages: messages.slice(-1), trigger, messageId, ...body } }

const transports = {
  ws: () =>
    new WebSocketChatTransport({
      url: `${baseUrl}/o/${slug}/ws/chat/`,
      webSocket: SignedInWebSocket,
      prepareSendMessagesRequest: lastMessageOnly,
    }),
  http: () =>
    new DefaultChatTransport({
      api: `${baseUrl}/o/${slug}/api/chat`,
      headers: { cookie, origin, referer: `${origin}/`, 'X-CSRFToken': csrfToken },
      prepareSendMessagesRequest: lastMessageOnly,
    }),
}

/** What a framework binding of the SDK keeps, without a framework. */
class PlainState {
  status = 'ready'
  error = undefined
  messages = []
  pushMessage = (message) => (this.messages = [...this.messages, message])
  popMessage = () => (this.messages = this.messages.slice(0, -1))
  replaceMessage = (index, message) => (this.messages = this.messages.with(index, structuredClone(message)))
  snapshot = (value) => structuredClone(value)
}

class PlainChat extends AbstractChat {
  constructor(options) {
    super({ ...options, state: new PlainState() })
  }
}

const report = { status: '', error: null, finishReason: null, resumed: null, messages: [], transient: [] }
const inner = transports[kind]()
const transport = {
  resumeStreamIsReplay: inner.resumeStreamIsReplay,
  sendMessages: (options) => inner.sendMessages(options),
  async reconnectToStream(options) {
    const stream = await inner.reconnectToStream(options)
    report.resumed = stream !== null
    return stream
  },
}
const chat = new PlainChat({
  id: action.chatId,
  transport,
  onData: (part) => part.transient && report.transient.push(structuredClone(part)),
  onFinish: ({ finishReason }) => (report.finishReason = finishReason ?? null),
})

setTimeout(() => {
  console.error(`No end after ${TIMEOUT_MS} ms; status ${chat.status}`)
  process.exit(2)
}, TIMEOUT_MS).unref()

if (action.action === 'resume') await chat.resumeStream()
else await chat.sendMessage({ id: action.messageId, role: 'user', parts: [{ type: 'text', text: action.text }] }, { body: action.body })

console.log(JSON.stringify({ ...report, status: chat.status, error: chat.error?.message ?? null, messages: chat.messages }))
inner.close?.()
