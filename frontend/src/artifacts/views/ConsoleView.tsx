import { useEffect, useState } from 'react'
import { canWrite } from '../../app/boot'
import { sessionOf } from '../../chat/sessions'
import { fileOf } from '../../files/known'
import { fileIdsOf } from '../../files/parts'
import { DESKTOP, mediaMatches } from '../../ui/useMedia'
import type { ViewProps } from '../document'
import type { AttachedFile } from '../python/files'
import { PythonConsole } from '../python/PythonConsole'
import { closePanel } from '../store'

/** Addresses of files are good for five minutes. */
const REFRESH_MS = 4 * 60_000

/** The files of the conversation, for the program to read; one that cannot be had is left out. */
function useFiles(conversationId: string, active: boolean): readonly AttachedFile[] {
  const [files, setFiles] = useState<readonly AttachedFile[]>([])
  useEffect(() => {
    if (!active) return undefined
    let gone = false
    const load = async () => {
      const ids = [...new Set(sessionOf(conversationId).chat.messages.flatMap(fileIdsOf))]
      const found = await Promise.all(ids.map((id) => fileOf(id).catch(() => null)))
      if (!gone) setFiles(found.flatMap((file) => (file ? [{ name: file.name, url: file.url }] : [])))
    }
    void load()
    const timer = setInterval(() => void load(), REFRESH_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [conversationId, active])
  return files
}

const FENCE = '```'

/** Runs the program on the screen. Fix asks the agent in the conversation, about the text that it can see there. */
export default function ConsoleView({ document, active, onErrorLine }: ViewProps) {
  const { entry, editing, conversationId, text } = document
  const files = useFiles(conversationId, active)
  const fix = async (traceback: string) => {
    await editing?.save()
    if (!mediaMatches(DESKTOP)) closePanel()
    await sessionOf(conversationId).write(`Fix this error in ${entry.title}:\n\n${FENCE}\n${traceback.trimEnd()}\n${FENCE}`)
  }
  return (
    <PythonConsole code={text ?? ''} title={entry.title} files={files} onErrorLine={onErrorLine} onFix={canWrite ? (traceback) => void fix(traceback) : undefined} />
  )
}
