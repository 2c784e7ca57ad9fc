// The views of the panel. Each file is one view, loaded when it is first needed.
import type { ComponentType } from 'react'
import { lazyUntilHere } from '../../ui/later'
import type { ViewId, ViewProps } from '../displayedDocument'

/** The component of each view, loaded when the view is first shown. Kinds name views by their ids, so a view may ask for facts of its kind. */
export const VIEW_COMPONENTS: Readonly<Record<ViewId, ComponentType<ViewProps>>> = {
  read: lazyUntilHere(() => import('./ReadView')),
  write: lazyUntilHere(() => import('./WriteView')),
  edit: lazyUntilHere(() => import('./EditView')),
  diff: lazyUntilHere(() => import('./DiffView')),
  grid: lazyUntilHere(() => import('../sheet/GridView')),
  console: lazyUntilHere(() => import('./ConsoleView')),
  preview: lazyUntilHere(() => import('./PreviewView')),
  image: lazyUntilHere(() => import('./ImageView')),
}
