// The views of the panel. Each file is one view, loaded when it is first needed.
import { lazy, type ComponentType } from 'react'
import type { ViewId, ViewProps } from '../displayedDocument'

/** The component of each view, loaded when the view is first shown. Kinds name views by their ids, so a view may ask for facts of its kind. */
export const VIEW_COMPONENTS: Readonly<Record<ViewId, ComponentType<ViewProps>>> = {
  read: lazy(() => import('./ReadView')),
  write: lazy(() => import('./WriteView')),
  edit: lazy(() => import('./EditView')),
  diff: lazy(() => import('./DiffView')),
  grid: lazy(() => import('../sheet/GridView')),
  console: lazy(() => import('./ConsoleView')),
  preview: lazy(() => import('./PreviewView')),
  image: lazy(() => import('./ImageView')),
}
