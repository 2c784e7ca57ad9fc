// The artifacts that this page knows, and the open panel. The folders below show and edit one artifact:
// panel/ is the frame, views/ what it shows, editing/ saves, versions/ lists, and the others each serve one kind or one action.
import { t } from '@lingui/core/macro'
import type { ArtifactPart } from '../api/artifactTypes'
import type { ArtifactDetail, NewArtifact, SavedVersion, SuggestionItem } from '../api/generated'
import { ApiError, errorMessage } from '../api/client'
import type { ChatMessage } from '../api/messageTypes'
import { DESKTOP, mediaMatches } from '../browser/useMedia'
import { createStore, useStore } from '../ui/store'
import { showToast } from '../ui/toasts'
import { artifactsApi } from './artifactsApi'
import { isStale, reduceArtifacts, type ArtifactAction, type ArtifactEntries, type ArtifactEntry } from './entries'
import { unsavedEdits } from './unsavedEdits'

/** `version` null: the newest text, also while it is being written. */
export type OpenPanel = { readonly conversationId: string; readonly artifactId: string; readonly version: number | null }
export type ArtifactDataPart = Extract<ChatMessage['parts'][number], { type: `data-${string}` }>

/** Deltas arrive far more often than the page should render. */
const PUBLISH_MS = 50

const panel = createStore<OpenPanel | null>(null)
/** The open artifacts of each conversation, in the order of their tabs. */
const tabs = createStore<Readonly<Record<string, readonly string[]>>>({})
const displayedEntries = createStore<ArtifactEntries>({})
const openedCalls = new Set<string>()
let entries: ArtifactEntries = {}
let timer: ReturnType<typeof setTimeout> | undefined

function publish(): void {
  clearTimeout(timer)
  timer = undefined
  displayedEntries.set(entries)
}

function dispatch(action: ArtifactAction): void {
  entries = reduceArtifacts(entries, action)
  if (action.type === 'delta' || action.type === 'suggestion') timer ??= setTimeout(publish, PUBLISH_MS)
  else publish()
}

/** Opens the panel once for each call. On a phone it would cover the answer, so there only the user opens it. */
function openForCall(conversationId: string, artifactId: string, callId: string): void {
  if (openedCalls.has(callId)) return
  openedCalls.add(callId)
  if (mediaMatches(DESKTOP)) openPanel(conversationId, artifactId)
}

/** Takes a data part of any answer and ignores those that are not about artifacts. The part is copied, because it still belongs to its message. */
export function receiveArtifactPart(conversationId: string, part: ArtifactDataPart): void {
  if (part.type === 'data-artifact-delta') return dispatch({ type: 'delta', delta: part.data })
  if (part.type === 'data-suggestion') return dispatch({ type: 'suggestion', part: { ...part.data } })
  if (part.type !== 'data-artifact') return
  dispatch({ type: 'part', part: { ...part.data } })
  if (part.data.status === 'streaming') openForCall(conversationId, part.data.id, part.data.callId)
}

/** A new version of an artifact that this page shows without its conversation. */
export function receiveKnownArtifact(part: ArtifactPart): void {
  if (entries[part.id]) dispatch({ type: 'part', part })
}

const tabsOf = (conversationId: string): readonly string[] => tabs.get()[conversationId] ?? []
const setTabs = (conversationId: string, ids: readonly string[]): void => tabs.patch({ [conversationId]: ids })

export function openPanel(conversationId: string, artifactId: string, version: number | null = null): void {
  const open = tabsOf(conversationId)
  if (!open.includes(artifactId)) setTabs(conversationId, [...open, artifactId])
  panel.set({ conversationId, artifactId, version })
  followNewest(artifactId)
}

/**
 * Where the panel shows the newest version by its number, it goes on to the next one: what is written in it becomes a version, and must stay in sight.
 * Messages tell of the agents' versions only, so the list of versions says which is the newest.
 */
function followNewest(artifactId: string): void {
  const open = panel.get()
  const entry = entries[artifactId]
  if (!entry || entry.status === 'streaming' || isStale(entry)) return
  if (open?.artifactId === artifactId && open.version === entry.latest) panel.set({ ...open, version: null })
}

/** Closes a tab and shows its neighbour. Without one the panel closes. */
export function closeTab(conversationId: string, artifactId: string): void {
  const open = tabsOf(conversationId)
  const at = open.indexOf(artifactId)
  const rest = open.filter((id) => id !== artifactId)
  setTabs(conversationId, rest)
  if (panel.get()?.artifactId !== artifactId) return
  const next = rest[Math.min(at, rest.length - 1)]
  if (next) openPanel(conversationId, next)
  else closePanel()
}

/** Closes the tab of an artifact of which nothing could be loaded, such as a deleted one that an address names. */
export function closeIfUnknown({ conversationId, artifactId }: OpenPanel): void {
  if (!entries[artifactId]) closeTab(conversationId, artifactId)
}

/** Shows another version of the open artifact. Null: the newest text. */
export function chooseVersion(version: number | null): void {
  const open = panel.get()
  if (open) panel.set({ ...open, version })
}

export const closePanel = (): void => panel.set(null)
export const usePanel = (): OpenPanel | null => useStore(panel)
const NO_TABS: readonly string[] = []
export const useTabs = (conversationId: string): readonly string[] => useStore(tabs)[conversationId] ?? NO_TABS
export const useArtifact = (id: string): ArtifactEntry | undefined => useStore(displayedEntries)[id]
export const useArtifacts = (): ArtifactEntries => useStore(displayedEntries)

/** Loads the artifact with its list of versions. Returns false if that failed; the user has been told. */
export const loadArtifact = (id: string): Promise<boolean> =>
  tryOrToast(async () => {
    dispatch({ type: 'loaded', artifact: await artifactsApi.get(id) })
    followNewest(id)
  })

export const loadVersion = (id: string, number: number): Promise<boolean> =>
  tryOrToast(async () => dispatch({ type: 'version', id, version: await artifactsApi.version(id, number) }))

/** Creates an artifact in a conversation, calls `onCreated`, and opens the panel. Returns false if that failed; the user has been told. */
export const createArtifact = (conversationId: string, newArtifact: NewArtifact, onCreated: (artifact: ArtifactDetail) => void): Promise<boolean> =>
  tryOrToast(async () => {
    const artifact = await artifactsApi.create(conversationId, newArtifact)
    dispatch({ type: 'loaded', artifact })
    onCreated(artifact)
    openPanel(conversationId, artifact.id)
  })

/** Creates a new version with the text of an older one, and shows it. What is typed becomes a version before, which can be restored, too: without it nothing is restored. */
export const restoreVersion = (id: string, number: number): Promise<boolean> =>
  tryOrToast(async () => {
    const unsavedReason = await unsavedEdits.saveOne(id)
    if (unsavedReason) throw new ApiError(0, 'not_saved', t`Nothing was restored, because what you typed could not be saved. ${unsavedReason}`)
    dispatch({ type: 'loaded', artifact: await artifactsApi.revert(id, number) })
    chooseVersion(null)
  })

export const renameArtifact = (id: string, title: string): Promise<boolean> =>
  tryOrToast(async () => dispatch({ type: 'renamed', id, title: (await artifactsApi.rename(id, title)).title }))

/** This page saved a new version. */
export const recordSavedVersion = (id: string, { version, content }: Pick<SavedVersion, 'version' | 'content'>): void => dispatch({ type: 'saved', id, version, content })
export const recordDecisions = (parts: readonly SuggestionItem[]): void => parts.forEach((part) => dispatch({ type: 'suggestion', part }))

/** Runs `work`. If it fails, the user sees a toast, and the result is false. */
export async function tryOrToast(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    showToast(errorMessage(error))
    return false
  }
}
