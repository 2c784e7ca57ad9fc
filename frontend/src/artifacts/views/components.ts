// The views of the panel. Each file is one view, loaded when it is first needed.
import type { ComponentType } from 'react'
import { lazyWithRetry } from '../../ui/lazyComponent'
import type { ViewId, ViewProps } from '../viewProps'

/** The component of each view, loaded when the view is first shown. Kinds name views by their ids, so a view may ask for facts of its kind. */
export const VIEW_COMPONENTS: Readonly<Record<ViewId, ComponentType<ViewProps>>> = {
  read: lazyWithRetry(() => import('./ReadView')),
  write: lazyWithRetry(() => import('./WriteView')),
  edit: lazyWithRetry(() => import('./EditView')),
  diff: lazyWithRetry(() => import('./DiffView')),
  grid: lazyWithRetry(() => import('../sheet/GridView')),
  console: lazyWithRetry(() => import('./ConsoleView')),
  preview: lazyWithRetry(() => import('./PreviewView')),
  image: lazyWithRetry(() => import('./ImageView')),
}
