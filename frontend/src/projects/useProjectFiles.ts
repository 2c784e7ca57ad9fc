import { useCallback, useEffect, useState } from 'react'
import { errorMessage } from '../api/client'
import type { ProjectFileList, ProjectItem } from '../api/generated'
import { projectsApi } from './projectsApi'

const POLL_MS = 1500

/** The files, read again while one of them is being read, and when their number changes elsewhere. */
export function useProjectFiles({ id, fileCount }: Pick<ProjectItem, 'id' | 'fileCount'>) {
  const [files, setFiles] = useState<ProjectFileList>()
  const [error, setError] = useState('')
  const load = useCallback(
    () =>
      projectsApi.files(id).then(
        (answer) => {
          setFiles(answer)
          setError('')
        },
        (problem: unknown) => setError(errorMessage(problem)),
      ),
    [id],
  )
  useEffect(() => void load(), [load, fileCount])
  const isReading = files?.items.some(({ state }) => state === 'pending') ?? false
  useEffect(() => {
    if (!isReading) return undefined
    const timer = setInterval(() => void load(), POLL_MS)
    return () => clearInterval(timer)
  }, [isReading, load])
  return { files, error, load }
}
