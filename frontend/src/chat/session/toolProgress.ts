import type { ToolProgress } from '../../api/messageTypes'
import { createStore, useStore } from '../../ui/store'

/** The newest progress of each call that reported any, by the id of the call. */
const progressByCall = createStore<Readonly<Record<string, ToolProgress>>>({})

export const receiveToolProgress = (progress: ToolProgress): void => progressByCall.patch({ [progress.callId]: progress })

export const useToolProgress = (callId: string): ToolProgress | undefined => useStore(progressByCall)[callId]

/** One line for the row of a running call; empty: there is nothing to say. */
export function progressSummary(progress: ToolProgress | undefined): string {
  if (!progress) return ''
  const percent = progress.percent === null ? '' : `${progress.percent} %`
  return [percent, progress.text].filter(Boolean).join(' · ')
}
