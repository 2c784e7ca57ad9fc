import { useEffect, useState } from 'react'
import { boot } from '../../api/boot'
import type { ViewId } from '../viewProps'
import type { EditSession } from '../editing/editSession'
import { LiveSession } from './liveSession'

const WRITING_VIEWS: readonly ViewId[] = ['edit', 'write', 'grid']

/** The live session of a document, from the moment at which the member opens a view to write in until the panel shows another one. */
export function useLiveSession(artifactId: string, editing: EditSession | undefined, view: ViewId): LiveSession | undefined {
  const [opened, setOpened] = useState<EditSession>()
  const [session, setSession] = useState<LiveSession>()
  if (editing && editing !== opened && boot.notifyUrl && WRITING_VIEWS.includes(view)) setOpened(editing)
  const shown = opened?.id === artifactId ? opened : undefined
  useEffect(() => {
    if (!shown) return undefined
    const live = new LiveSession(shown)
    setSession(live)
    return () => {
      live.leave()
      setSession(undefined)
    }
  }, [shown])
  return session
}
