import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FileSpreadsheet, FileText, Library, Plus, Trash2 } from 'lucide-react'
import { canWrite } from '../api/boot'
import { errorMessage } from '../api/client'
import type { ProjectFileItem, ProjectItem } from '../api/generated'
import { formatSize } from '../files/fileParts'
import { addProjectFile, projectsApi } from './projectsApi'
import { useProjectFiles } from './useProjectFiles'

/** Files that the conversations of the project can read. They are added one after another; each that is refused says why. */
export function ProjectFiles({ project }: { project: ProjectItem }) {
  const { files, error: loadError, load } = useProjectFiles(project)
  const [uploading, setUploading] = useState<readonly string[]>([])
  const [problems, setProblems] = useState<readonly string[]>([])
  const input = useRef<HTMLInputElement>(null)
  const add = async (uploads: readonly File[]) => {
    setProblems([])
    setUploading(uploads.map(({ name }) => name))
    for (const file of uploads) {
      await addProjectFile(project.id, file).catch((problem: unknown) => setProblems((before) => [...before, `${file.name}: ${errorMessage(problem)}`]))
      setUploading((names) => names.slice(1))
      await load()
    }
  }
  const act = (work: Promise<unknown>) => void work.then(() => setProblems([]), (problem: unknown) => setProblems([errorMessage(problem)])).then(load)
  const isOver = useDrop(canWrite, (dropped) => void add(dropped))
  return (
    <section aria-label={t`Files the assistant knows`} className={`rounded-[14px] border bg-raise ${isOver ? 'border-accent outline-3 outline-soft' : 'border-line'}`}>
      <div className="flex min-h-8 items-center gap-2 px-4 pt-4">
        <Library className="size-4 text-fg3" aria-hidden />
        <h3 className="text-[14px] font-semibold"><Trans>Files the assistant knows</Trans></h3>
        {canWrite && (
          <button type="button" className="ghost ms-auto" onClick={() => input.current?.click()}>
            <Plus className="size-3.5" aria-hidden />
            <Trans>Add<span className="sr-only"> files</span></Trans>
          </button>
        )}
        <input ref={input} type="file" multiple hidden aria-label={t`Add files to the project`} onChange={(event) => void add([...(event.target.files ?? [])]).then(() => input.current && (input.current.value = ''))} />
      </div>
      {[...problems, ...(loadError ? [loadError] : [])].map((text) => (
        <p key={text} role="alert" className="mx-4 mt-2 rounded-lg bg-bad-soft px-3 py-2 text-[13px] text-bad [overflow-wrap:anywhere]">
          {text}
        </p>
      ))}
      <ul className="px-4 py-2">
        {files?.items.map((file) => (
          <Row key={file.id} file={file} onRetry={() => act(projectsApi.readFileAgain(project.id, file.id))} onRemove={() => act(projectsApi.removeFile(project.id, file.id))} />
        ))}
        {uploading.map((name) => (
          <li key={name} role="status" className="truncate py-1.5 text-[13px] text-fg3">
            <Trans>Uploading {name}…</Trans>
          </li>
        ))}
      </ul>
      {files?.items.length === 0 && uploading.length === 0 && <p className="px-4 pb-4 text-[13.5px] text-fg2">{isOver ? t`Drop them to add them to the project.` : t`Add files the assistant should know. You can drop them anywhere on this page.`}</p>}
      {files && files.items.length > 0 && (
        <div className="flex items-center gap-2.5 border-t border-line px-4 py-3 text-[12.5px] text-fg2">
          <progress value={files.usedBytes} max={files.maxBytes} aria-label={t`Storage used by files`} className="upload static h-1.5 w-16" />
          <Trans>{formatSize(files.usedBytes)} of {formatSize(files.maxBytes)}</Trans>
        </div>
      )}
    </section>
  )
}

function Row({ file, onRetry, onRemove }: { file: ProjectFileItem; onRetry(): void; onRemove(): void }) {
  const isSheet = /spreadsheet|excel|csv/.test(file.mediaType)
  const Icon = isSheet ? FileSpreadsheet : FileText
  return (
    <li className="group flex items-center gap-3 py-1.5">
      <span data-color={isSheet ? 3 : file.kind === 'pdf' ? 5 : 1} className="id-tile grid size-8 shrink-0 place-items-center rounded-lg">
        <Icon className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-[13.5px] font-medium" title={file.name}>
          {file.name}
        </p>
        <p className={`text-[12px] ${file.state === 'failed' ? 'text-bad' : 'text-fg3'}`}>{statusText(file)}</p>
      </div>
      {canWrite && file.canRetry && (
        <button type="button" className="ghost" aria-label={t`Retry ${file.name}`} onClick={onRetry}>
          <Trans>Retry</Trans>
        </button>
      )}
      {canWrite && (
        <button type="button" className="icon" aria-label={t`Remove ${file.name}`} title={t`Remove`} onClick={onRemove}>
          <Trash2 className="size-4" aria-hidden />
        </button>
      )}
    </li>
  )
}

function statusText({ state, reason, sizeBytes }: ProjectFileItem): string {
  if (state === 'pending') return t`Being read…`
  return state === 'failed' ? reason || t`Couldn’t extract text` : formatSize(sizeBytes)
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Files may be dropped anywhere on the page. Returns whether files are dragged over it. */
function useDrop(isOn: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  })
  useEffect(() => {
    if (!isOn) return undefined
    const end = new AbortController()
    const listen = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) => addEventListener(name, act, { signal: end.signal })
    listen('dragover', (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    })
    listen('dragleave', (event) => event.relatedTarget === null && setOver(false))
    listen('drop', (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      latest.current([...(event.dataTransfer?.files ?? [])])
    })
    return () => end.abort()
  }, [isOn])
  return over
}
