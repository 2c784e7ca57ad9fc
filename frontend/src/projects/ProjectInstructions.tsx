import { useRef, useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { PenLine } from 'lucide-react'
import { canWrite } from '../api/boot'
import { errorMessage } from '../api/client'
import type { ProjectItem } from '../api/generated'
import { readDraft, writeDraft } from '../browser/drafts'
import { PlainText } from '../plainText/PlainText'
import { ErrorLine } from '../ui/FormDialog'
import { projectsApi } from './projectsApi'
import { putProject } from './store'

const MAX_CHARS = 8000

/** The instructions, edited in place. What is typed survives a reload until it is saved or given up. */
export function ProjectInstructions({ project }: { project: ProjectItem }) {
  const draftId = `project-${project.id}`
  const [text, setText] = useState<string | null>(() => readDraft(draftId) || null)
  const [error, setError] = useState('')
  const edit = useRef<HTMLButtonElement>(null)
  const change = (next: string | null) => {
    setText(next)
    writeDraft(draftId, next ?? '')
  }
  const close = () => {
    change(null)
    setError('')
    setTimeout(() => edit.current?.focus())
  }
  const save = async () => {
    try {
      putProject(await projectsApi.change(project.id, { instructions: (text ?? '').trim() }))
      close()
    } catch (problem) {
      setError(errorMessage(problem))
    }
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }
  return (
    <section aria-label={t`Instructions`} className="rounded-[14px] border border-line bg-raise p-4">
      <div className="flex min-h-8 items-center gap-2">
        <PenLine className="size-4 text-fg3" aria-hidden />
        <h3 className="text-[14px] font-semibold"><Trans>Instructions</Trans></h3>
        {canWrite && text === null && (
          <button ref={edit} type="button" className="ghost ms-auto" onClick={() => change(project.instructions)}>
            {project.instructions ? t`Edit` : t`Add`}
            <span className="sr-only"> <Trans>instructions</Trans></span>
          </button>
        )}
      </div>
      {text === null ? (
        <div className="mt-1.5 max-h-72 overflow-y-auto text-[13.5px] text-fg2" tabIndex={project.instructions.length > 400 ? 0 : undefined}>
          {project.instructions ? <PlainText text={project.instructions} /> : t`How should the assistant answer in this project?`}
        </div>
      ) : (
        <>
          <textarea autoFocus aria-label={t`Instructions`} value={text} maxLength={MAX_CHARS} rows={8} onChange={(event) => change(event.target.value)} onKeyDown={onKeyDown} className="field mt-2 h-auto resize-y py-2 text-[13.5px]" />
          {error && <ErrorLine text={error} />}
          <div className="mt-2 flex items-center justify-end gap-2">
            <span className="me-auto text-[12px] text-fg3">{text.length > MAX_CHARS * 0.9 ? plural(MAX_CHARS - text.length, { one: '# character left', other: '# characters left' }) : ''}</span>
            <button type="button" className="btn" onClick={close}>
              <Trans>Cancel</Trans>
            </button>
            <button type="button" className="btn-primary" onClick={() => void save()} title={t`Save (Ctrl+Enter)`}>
              <Trans>Save</Trans>
            </button>
          </div>
        </>
      )}
    </section>
  )
}
