import type { ViewId } from '../viewProps'

/** The last view of each artifact, for when the user comes back to its tab. */
export const lastViews = new Map<string, ViewId>()
