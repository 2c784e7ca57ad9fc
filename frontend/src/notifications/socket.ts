// Notifications: the server reports over this socket what changed elsewhere. The socket reconnects by itself, and the page then reads what it missed.
import { backoffMs, pauseAfterClose } from '../api/backoff'
import { boot } from '../api/boot'
import { onWake } from '../browser/wake'
import { closeSocket } from '../chat/session/chat'
import { allSessions, findSession, refreshSessions } from '../chat/session/sessions'
import { dropConversations, putConversation, putRestored, refreshList } from '../conversations/store'
import { receiveKnownArtifact } from '../artifacts/store'
import { displayedConversation } from '../navigation/router'
import { loadChoices } from '../preferences/choices'
import { loadProjects } from '../projects/store'
import { reportAllSharesChanged, reportComment, reportShareChange } from '../sharing/opened/changes'
import { reportConnectionRestored, reportConnectionLost, type Gap } from './connectivity'
import { readNotification, type Notification } from './frames'

const MAX_PAUSE_MS = 15_000
/** The session or the membership ended, and the server decides what this person may see now. */
const ACCESS_ENDED = 4403

/** Clicks and keys try again at most this often. */
const HURRY_MS = 1000
/** After these the server is left alone for the whole pause. */
const FLOOD = 1008
/** The database or Redis is away or overloaded, or the server failed. */
const SERVER_TROUBLE = [1011, 1013]
/** So long a page that is on its way elsewhere is left alone. */
const LEAVING_MS = 5000
/** So long a socket is open before the page counts on it. */
const SETTLE_MS = 300

let attempt = 0
let mayHurryAt = 0
let leftAt = -Infinity
let timer: ReturnType<typeof setTimeout> | undefined
let socket: WebSocket | undefined
let isConnected = false

function apply(notification: Notification): void {
  if (notification.type === 'conversations-deleted') return dropConversations(notification.ids)
  if (notification.type === 'conversations-restored') return putRestored(notification.conversations)
  if (notification.type === 'projects') return void loadProjects()
  if (notification.type === 'me') return loadChoices()
  if (notification.type === 'share') return reportShareChange(notification.shareId)
  if (notification.type === 'comment') return reportComment(notification)
  if (notification.type === 'artifact') return applyArtifact(notification)
  for (const conversation of 'conversations' in notification ? notification.conversations : [notification.conversation]) {
    if (putConversation(conversation)) findSession(conversation.id)?.handleAnnouncement(conversation)
  }
}

/** To the page of what is shared, and to the open conversation or the panel of a document that another member shares. */
function applyArtifact({ conversationId, artifact }: Extract<Notification, { type: 'artifact' }>): void {
  reportAllSharesChanged() // a shared page shows the text, too
  const session = findSession(conversationId)
  if (session) session.receiveArtifact(artifact)
  else receiveKnownArtifact(artifact)
}

/** The server opens also what it refuses, so that the page can read why: the close comes at once. */
function handleOpen(): void {
  timer = setTimeout(handleConnection, SETTLE_MS)
}

function handleConnection(): void {
  isConnected = true
  reportConnectionRestored()
  mayHurryAt = 0
  if (attempt > 0) {
    void refreshList()
    void loadProjects()
    loadChoices()
    reportAllSharesChanged()
    refreshSessions(displayedConversation())
  }
  attempt = 0
}

function handleClose(event: CloseEvent): void {
  clearTimeout(timer)
  socket = undefined
  if (event.code === ACCESS_ENDED) return reload()
  reportConnectionLost(gapOf(event.code))
  if (event.code === FLOOD) mayHurryAt = Infinity
  timer = setTimeout(connect, pauseAfterClose(event.code, backoffMs(attempt++, 500, MAX_PAUSE_MS)))
}

const gapOf = (code: number): Gap => (code === FLOOD ? 'too-much' : SERVER_TROUBLE.includes(code) ? 'busy' : 'offline')

/** Not while the page leaves: signing out ends its socket, too, and goes to a page of its own. */
function reload(): void {
  const wait = leftAt + LEAVING_MS - performance.now()
  if (wait > 0) setTimeout(() => location.reload(), wait)
  else location.reload()
}

function connect(): void {
  clearTimeout(timer)
  if (socket) return
  isConnected = false
  const url = new URL(boot.notifyUrl, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  socket = new WebSocket(url)
  socket.onopen = handleOpen
  socket.onclose = handleClose
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const notification = readNotification(data)
    if (notification) apply(notification)
  }
}

/** Replaces a socket that may be dead. What it missed is read again. */
function reopen(): void {
  if (socket) {
    socket.onclose = socket.onmessage = socket.onopen = null
    socket.close()
    socket = undefined
    attempt = 1
  }
  connect()
}

/** Somebody looks at this page or uses it: what waits for its next attempt to connect is tried at once. */
function hurry(): void {
  const now = performance.now()
  if (socket || now < mayHurryAt) return
  mayHurryAt = now + HURRY_MS
  connect()
  for (const session of allSessions()) session.hurry()
}

/** The browser reports that it is offline. A socket that the page doesn't count on yet is tried again, or it would say that all is well. */
function handleOffline(): void {
  reportConnectionLost('offline', 0)
  if (socket && !isConnected) reopen()
}

export function startNotifications(): void {
  connect()
  addEventListener('offline', handleOffline)
  addEventListener('beforeunload', () => (leftAt = performance.now()))
  addEventListener('pointerdown', hurry, { capture: true, passive: true })
  addEventListener('keydown', hurry, { capture: true, passive: true })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && hurry())
  onWake(() => {
    reopen()
    closeSocket()
    for (const session of allSessions()) session.recover()
  })
}
