import { useEffect, useState } from 'react'
import { sessionOf } from '../../chat/session/sessions'
import { getFile } from '../../files/fileCache'
import { fileIdsOf } from '../../files/fileParts'
import type { ViewProps } from '../viewProps'
import { fixHandler } from '../fixHandler'
import type { AttachedFile } from '../python/files'
import { PythonConsole } from '../python/PythonConsole'

/** The addresses of files are valid for five minutes. */
const REFRESH_MS = 4 * 60_000

/** The files of the conversation, for the program to read. Files that cannot be loaded are left out. */
function useFiles(conversationId: string, active: boolean): readonly AttachedFile[] {
  const [files, setFiles] = useState<readonly AttachedFile[]>([])
  useEffect(() => {
    if (!active) return undefined
    let isUnmounted = false
    const load = async () => {
      const ids = [...new Set(sessionOf(conversationId).chat.messages.flatMap(fileIdsOf))]
      const items = await Promise.all(ids.map((id) => getFile(id).catch(() => null)))
      if (!isUnmounted) setFiles(items.flatMap((file) => (file ? [{ name: file.name, url: file.url }] : [])))
    }
    void load()
    const timer = setInterval(() => void load(), REFRESH_MS)
    return () => {
      isUnmounted = true
      clearInterval(timer)
    }
  }, [conversationId, active])
  return files
}

/** Runs the program on screen. The Fix button asks the agent of the conversation. */
export default function ConsoleView({ document, active, onErrorLine }: ViewProps) {
  const { entry, conversationId, text } = document
  const files = useFiles(conversationId, active && entry.isOwn)
  return <PythonConsole code={text ?? ''} title={entry.title} files={files} onErrorLine={onErrorLine} onFix={fixHandler(document)} />
}
