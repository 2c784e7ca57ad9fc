import { Suspense, useState } from 'react'
import type { DisplayedDocument, ViewId } from '../displayedDocument'
import { ConflictView } from '../editing/ConflictView'
import { kindOf } from '../kinds'
import { VIEW_COMPONENTS } from '../views/components'
import { ViewPlaceholder } from '../views/ViewPlaceholder'

/** The view on display, and those that were and keep what they hold. */
export function PanelBody({ document, view }: { document: DisplayedDocument; view: ViewId }) {
  const { views } = kindOf(document.entry.kind)
  const [seen, setSeen] = useState<readonly ViewId[]>([view])
  const [errorLine, onErrorLine] = useState<number | null>(null)
  if (!seen.includes(view)) setSeen([...seen, view])
  if (document.text === null) return <Place><ViewPlaceholder text="Loading…" /></Place>
  if (document.editing && document.edit?.conflict) {
    return <Place><ConflictView editing={document.editing} conflict={document.edit.conflict} /></Place>
  }
  return (
    <Place>
      {views
        .filter(({ id, staysMounted }) => id === view || (staysMounted && seen.includes(id)))
        .map(({ id }) => {
          const View = VIEW_COMPONENTS[id]
          return (
            <div key={id} hidden={id !== view} className="h-full">
              <Suspense fallback={<ViewPlaceholder text="Opening…" />}>
                <View document={document} active={id === view} errorLine={errorLine} onErrorLine={onErrorLine} />
              </Suspense>
            </div>
          )
        })}
    </Place>
  )
}

const Place = ({ children }: { children: React.ReactNode }) => <div className="min-h-0 flex-1">{children}</div>
