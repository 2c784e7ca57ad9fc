import { api, sentence } from '../app/api'
import type { ChatMessage } from '../chat/types'
import { createStore, useStore } from '../ui/store'
import { showToast } from '../ui/toasts'
import { DESKTOP, mediaMatches } from '../ui/useMedia'
import { reduceArtifacts, type ArtifactAction, type Entries, type Entry } from './entries'

/** `version` null follows the newest text. */
export type OpenPanel = { readonly conversationId: string; readonly artifactId: string; readonly version: number | null }
export type ArtifactDataPart = Extract<ChatMessage['parts'][number], { type: `data-${string}` }>

/** Deltas come far faster than a page should be drawn. */
const DRAW_MS = 50

const panel = createStore<OpenPanel | null>(null)
const drawn = createStore<Entries>({})
const openedForCall = new Set<string>()
let entries: Entries = {}
let timer: ReturnType<typeof setTimeout> | undefined

function draw(): void {
  clearTimeout(timer)
  timer = undefined
  drawn.set(entries)
}

function dispatch(action: ArtifactAction): void {
  entries = reduceArtifacts(entries, action)
  if (action.type === 'delta') timer ??= setTimeout(draw, DRAW_MS)
  else draw()
}

/** On a phone the panel would cover the answer, so there only its chip opens it; and never twice for one call. */
function openForCall(conversationId: string, artifactId: string, callId: string): void {
  if (openedForCall.has(callId)) return
  openedForCall.add(callId)
  if (mediaMatches(DESKTOP)) openPanel(conversationId, artifactId)
}

/** Take a data part of any answer; parts of other kinds pass by. The part still belongs to its message, so it is copied. */
export function receiveArtifactPart(conversationId: string, part: ArtifactDataPart): void {
  if (part.type === 'data-artifact-delta') return dispatch({ type: 'delta', delta: part.data })
  if (part.type !== 'data-artifact') return
  dispatch({ type: 'part', part: { ...part.data } })
  if (part.data.status === 'streaming') openForCall(conversationId, part.data.id, part.data.callId)
}

export const openPanel = (conversationId: string, artifactId: string, version: number | null = null): void =>
  panel.set({ conversationId, artifactId, version })

/** Show another version of the open artifact; null follows the newest text. */
export function chooseVersion(version: number | null): void {
  const open = panel.get()
  if (open) panel.set({ ...open, version })
}

export const closePanel = (): void => panel.set(null)
export const usePanel = (): OpenPanel | null => useStore(panel)
export const useArtifact = (id: string): Entry | undefined => useStore(drawn)[id]

/** Read the artifact with its list of versions. Returns false when that failed, after telling the user. */
export const loadArtifact = (id: string): Promise<boolean> => attempt(async () => dispatch({ type: 'loaded', artifact: await api.artifact(id) }))

export const loadVersion = (id: string, number: number): Promise<boolean> =>
  attempt(async () => dispatch({ type: 'version', id, version: await api.version(id, number) }))

/** Make a new version with the text of an older one, and show it. */
export const restoreVersion = (id: string, number: number): Promise<boolean> =>
  attempt(async () => {
    dispatch({ type: 'loaded', artifact: await api.revert(id, number) })
    chooseVersion(null)
  })

async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    showToast(sentence(error))
    return false
  }
}
