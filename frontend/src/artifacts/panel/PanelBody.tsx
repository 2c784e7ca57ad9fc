import { Suspense, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { DisplayedDocument, ViewId } from '../viewProps'
import { ConflictView } from '../editing/ConflictView'
import { kindOf } from '../kinds'
import { VIEW_COMPONENTS } from '../views/components'
import { VersionPlaceholder, ViewPlaceholder } from '../views/ViewPlaceholder'

/** The current view, and those opened before that stay mounted. */
export function PanelBody({ document, view }: { document: DisplayedDocument; view: ViewId }) {
  const { t } = useLingui()
  const { views } = kindOf(document.entry.kind)
  const [visitedViews, setVisitedViews] = useState<readonly ViewId[]>([view])
  const [errorLine, onErrorLine] = useState<number | null>(null)
  if (!visitedViews.includes(view)) setVisitedViews([...visitedViews, view])
  if (document.text === null) return <BodyFrame><VersionPlaceholder onRetry={document.retry} /></BodyFrame>
  if (document.editing && document.edit?.conflict) {
    return <BodyFrame><ConflictView editing={document.editing} conflict={document.edit.conflict} /></BodyFrame>
  }
  return (
    <BodyFrame>
      {views
        .filter(({ id, staysMounted }) => id === view || (staysMounted && visitedViews.includes(id)))
        .map(({ id }) => {
          const View = VIEW_COMPONENTS[id]
          return (
            <div key={id} hidden={id !== view} className="h-full">
              <Suspense fallback={<ViewPlaceholder text={t`Opening…`} />}>
                <View document={document} active={id === view} errorLine={errorLine} onErrorLine={onErrorLine} />
              </Suspense>
            </div>
          )
        })}
    </BodyFrame>
  )
}

const BodyFrame = ({ children }: { children: React.ReactNode }) => <div className="min-h-0 flex-1">{children}</div>
