import { useEffect } from 'react'
import { canWrite } from '../../api/boot'
import type { DisplayedDocument } from '../viewProps'
import { editSessionOf, useEditState } from '../editing/editSessions'
import { isStale, displayedVersionOf, type ArtifactEntry } from '../entries'
import { kindOf } from '../kinds'
import { closeIfUnknown, loadArtifact, useArtifact, type OpenPanel } from '../store'
import { useLoadedVersion } from '../versions/useLoadedVersion'

/** Loads what is missing: the list of versions, and the text of the displayed version. Returns what tries that again after it failed. */
function useMissingParts(panel: OpenPanel, entry: ArtifactEntry | undefined, number: number | null, missing: boolean): (() => void) | null {
  const stale = !entry || isStale(entry)
  const latest = entry?.latest
  useEffect(() => {
    if (stale) void loadArtifact(panel.artifactId).then((isLoaded) => isLoaded || closeIfUnknown(panel))
  }, [stale, latest, panel.conversationId, panel.artifactId])
  return useLoadedVersion(panel.artifactId, number, missing && !stale && number !== null)
}

/** Passes newer versions and conflicts to the edit, and saves unsaved text before an agent goes on writing. */
function useSyncedEdit(entry: ArtifactEntry | undefined, editing: ReturnType<typeof editSessionOf>): void {
  const latest = entry?.latest ?? null
  const content = latest === null ? undefined : entry?.contents[latest]
  const streams = entry?.status === 'streaming'
  const conflict = entry?.conflict
  useEffect(() => {
    if (editing && latest !== null && content !== undefined) editing.adoptNewer(latest, content)
  }, [editing, latest, content])
  useEffect(() => {
    if (editing && conflict) editing.showConflict(conflict)
  }, [editing, conflict])
  useEffect(() => {
    if (editing && streams) void editing.save()
  }, [editing, streams])
}

/** The artifact of the panel with everything that its views need. Undefined while it loads. */
export function useDisplayedDocument(panel: OpenPanel): DisplayedDocument | undefined {
  const entry = useArtifact(panel.artifactId)
  const isNewest = panel.version === null || panel.version === entry?.latest
  const session = entry && kindOf(entry.kind).editable && canWrite ? editSessionOf(entry) : undefined
  const editState = useEditState(session)
  const isLive = Boolean(editState?.live) && isNewest
  const editing = isLive || (isNewest && entry?.status !== 'streaming') ? session : undefined
  const edit = editing && editState
  const displayedVersion = entry && (isLive ? { number: entry.latest, text: editState?.text ?? null, live: false } : displayedVersionOf(entry, panel.version))
  const available = entry && displayedVersion?.number != null && kindOf(entry.kind).views[0]?.id === 'image' ? entry.fileUrls[displayedVersion.number] : displayedVersion?.text
  const retry = useMissingParts(panel, entry, displayedVersion?.number ?? null, displayedVersion !== undefined && available == null)
  useSyncedEdit(entry, session)
  if (!entry || !displayedVersion) return undefined
  return { conversationId: panel.conversationId, entry, displayedVersion, text: edit?.text ?? displayedVersion.text, retry, editing, edit }
}
