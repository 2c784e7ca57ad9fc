// Drives a Parley server with the unmodified AI SDK, as a foreign client would.
//   node contract/drive.mjs <ws|http|token> <base URL> <Cookie header, or API token> <CSRF token> <organization slug> <action>
// `token`: DefaultChatTransport with a base URL and a header, and nothing else of Parley's.
// <action> is JSON: {"action": "send", "chatId", "text", "messageId"?, "body"?} and then, when given:
//   "decide": {"approved", "reason"?} for every call that asks first; "regenerate": true; "again": a second message;
//   "edit": another text for the first message, by the SDK's `messageId`;
//   "files": [FileUIPart] sent along as the SDK's own `files`;
//   "page": {"tool", "output"} or {"tool", "errorText"}: the page carries out the calls of this tool and says so;
//   "leave": true stops reading (the SDK's own stop) at the first text
// or {"action": "resume", "chatId"}.
// Prints one line of JSON:
//   {"status", "error", "finishReason", "resumed": true | false | null, "messages": [UIMessage], "transient": [data part],
//   "inputs": [those of the calls that the page carried out]}
// `resumed` is false when the server had nothing to resume, and null for a send.
import { AbstractChat, DefaultChatTransport, WebSocketChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai'

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

/** A frame is small: of an answer that goes back, only what answers a call (docs/protocol.md). */
const answers = (part) => part.state === 'approval-responded' || part.toolName === 'update_page_state'
const onlyAnswers = (message) => (message.role === 'assistant' ? { ...message, parts: message.parts.filter(answers) } : message)

const lastMessageOnly = ({ messages, body, id, trigger, messageId }) =>
  kind === 'ws' ? { messages: messages.slice(-1).map(onlyAnswers), body } : { body: { id, messages: messages.slice(-1), trigger, messageId, ...body } }

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
  token: () => new DefaultChatTransport({ api: `${baseUrl}/api/chat`, headers: { authorization: `Bearer ${cookie}` } }),
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

const report = { status: '', error: null, finishReason: null, resumed: null, messages: [], transient: [], inputs: [] }
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
  onToolCall: ({ toolCall }) => carryOut(toolCall),
  sendAutomaticallyWhen: action.page ? lastAssistantMessageIsCompleteWithToolCalls : lastAssistantMessageIsCompleteWithApprovalResponses,
})

/** Not awaited, as the SDK's documentation tells: the output waits for the chunk that is being handled. */
function carryOut({ toolName, toolCallId, input }) {
  if (toolName !== action.page?.tool) return
  report.inputs.push(input)
  const { tool, ...said } = action.page
  void chat.addToolOutput({ tool, toolCallId, ...('errorText' in said ? { state: 'output-error' } : {}), ...said })
}

const last = () => chat.messages.at(-1)
const asking = () => last().parts.filter((part) => part.state === 'approval-requested')

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Says the same of every call that asks first, as often as the answer asks; the SDK sends it by itself. */
async function decide(decision) {
  while (asking().length) {
    for (const part of asking()) await chat.addToolApprovalResponse({ id: part.approval.id, ...decision })
    await until(() => chat.status === 'ready' || chat.status === 'error')
  }
}

async function send() {
  const message = (text, id) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
  const first = action.files ? { text: action.text, files: action.files } : message(action.text, action.messageId)
  const sending = chat.sendMessage(first, { body: action.body })
  if (action.leave) {
    await until(() => last()?.role === 'assistant' && last().parts.some((part) => part.type === 'text' && part.text))
    await chat.stop()
  }
  await sending
  if (action.decide) await decide(action.decide)
  if (action.regenerate) await chat.regenerate()
  if (action.again) await chat.sendMessage(message(action.again))
  if (action.edit) await chat.sendMessage({ text: action.edit, messageId: chat.messages[0].id })
}

setTimeout(() => {
  console.error(`No end after ${TIMEOUT_MS} ms; status ${chat.status}`)
  process.exit(2)
}, TIMEOUT_MS).unref()

if (action.action === 'resume') await chat.resumeStream()
else await send()

console.log(JSON.stringify({ ...report, status: chat.status, error: chat.error?.message ?? null, messages: chat.messages }))
inner.close?.()
