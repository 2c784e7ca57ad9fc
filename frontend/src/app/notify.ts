// The socket over which the server says what changed elsewhere. It comes back by itself, and then catches up by reading.
import { allSessions, knownSession, refreshSessions } from '../chat/sessions'
import { dropConversation, putConversation, refreshList } from '../conversations/store'
import { boot } from './boot'
import { readNotification, type Notification } from './notifyFrames'
import { displayedConversation } from './router'

const LONGEST_PAUSE_MS = 15_000
/** The session or the membership ended: the server decides what this person sees now. */
const ACCESS_ENDED = 4403

let attempt = 0
let timer: ReturnType<typeof setTimeout> | undefined
let socket: WebSocket | undefined

function apply(notification: Notification): void {
  if (notification.type === 'conversation-deleted') return dropConversation(notification.id)
  const { conversation } = notification
  putConversation(conversation)
  knownSession(conversation.id)?.announce(conversation)
}

function opened(): void {
  if (attempt > 0) {
    void refreshList()
    refreshSessions(displayedConversation())
  }
  attempt = 0
}

function closed(event: CloseEvent): void {
  socket = undefined
  if (event.code === ACCESS_ENDED) return location.reload()
  const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** attempt++)
  timer = setTimeout(connect, pause)
}

function connect(): void {
  clearTimeout(timer)
  if (socket) return
  const url = new URL(boot.notifyUrl, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  socket = new WebSocket(url)
  socket.onopen = opened
  socket.onclose = closed
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const notification = readNotification(data)
    if (notification) apply(notification)
  }
}

export function startNotify(): void {
  connect()
  addEventListener('online', () => {
    connect()
    for (const session of allSessions()) session.recover()
  })
}
