import { useEffect, useState } from 'react'
import { boot } from '../../api/boot'
import type { ViewId } from '../viewProps'
import type { EditSession } from '../editing/editSession'
import { LiveSession } from './liveSession'

const WRITING_VIEWS: readonly ViewId[] = ['edit', 'write', 'grid']

/** The live session of a document, from the moment at which the member opens a view to write in until the panel shows another one. */
export function useLiveSession(artifactId: string, editing: EditSession | undefined, view: ViewId): LiveSession | undefined {
  const [lastEditing, setLastEditing] = useState<EditSession>()
  const [session, setSession] = useState<LiveSession>()
  if (editing && editing !== lastEditing && boot.notifyUrl && WRITING_VIEWS.includes(view)) setLastEditing(editing)
  const liveEditing = lastEditing?.id === artifactId ? lastEditing : undefined
  useEffect(() => {
    if (!liveEditing) return undefined
    const live = new LiveSession(liveEditing)
    setSession(live)
    return () => {
      live.leave()
      setSession(undefined)
    }
  }, [liveEditing])
  return session
}
