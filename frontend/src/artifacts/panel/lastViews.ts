import type { ViewId } from '../displayedDocument'

/** The view of each artifact that was looked at: going back to its tab finds it as it was left. */
export const lastViews = new Map<string, ViewId>()
