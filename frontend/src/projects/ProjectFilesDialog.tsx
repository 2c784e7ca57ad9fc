// Attaching files that the conversation's project has already.
import { t } from '@lingui/core/macro'
import { FileText } from 'lucide-react'
import type { ProjectFileItem, ProjectItem } from '../api/generated'
import { AttachDialog, AttachMark } from '../files/AttachDialog'
import type { Attachments } from '../files/attachments'
import { useAttach, type AttachState } from '../files/useAttach'
import { visibleText } from '../plainText/segments'
import { ErrorLine } from '../ui/FormDialog'
import { projectsApi } from './projectsApi'
import { useProjectFiles } from './useProjectFiles'

type Props = { project: ProjectItem; attachments: Attachments; onClose(): void }

/** The files of the project, to attach them to a message. */
export default function ProjectFilesDialog({ project, attachments, onClose }: Props) {
  const { files, error: loadError } = useProjectFiles(project)
  const { states, error, attach } = useAttach(attachments)
  const problem = error || loadError
  return (
    <AttachDialog title={t`Attach from ${visibleText(project.name)}`} onClose={onClose}>
      {problem && <ErrorLine text={problem} />}
      <div className="-mx-2 mt-2 min-h-40 overflow-y-auto">
        {!files && !loadError && <div role="status" aria-label={t`Loading the project’s files`} className="skeleton m-2 h-28" />}
        <ul aria-label={t`Files of the project`}>
          {files?.items.map((file) => (
            <Row key={file.id} file={file} state={states[file.id]} onAttach={() => void attach(file.id, file.name, () => projectsApi.attachFile(project.id, file.id))} />
          ))}
        </ul>
      </div>
    </AttachDialog>
  )
}

function Row({ file, state, onAttach }: { file: ProjectFileItem; state: AttachState; onAttach(): void }) {
  const hint = hintOf(file)
  return (
    <li>
      <button type="button" disabled={file.state !== 'ready'} onClick={onAttach} className="flex min-h-10 w-full items-center gap-3 rounded-lg px-2 py-1.5 text-start text-[14px] outline-offset-[-2px] hover:bg-hover disabled:cursor-not-allowed">
        <FileText className="size-4 shrink-0 text-fg3" aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="block truncate">{visibleText(file.name)}</span>
          {hint && <span className={`block text-[12.5px] ${file.state === 'failed' ? 'text-bad' : 'text-fg3'}`}>{hint}</span>}
        </span>
        <AttachMark state={state} sizeBytes={file.sizeBytes} />
      </button>
    </li>
  )
}

/** Of a document the project has its text alone. */
function hintOf({ state, reason, kind }: ProjectFileItem): string {
  if (state === 'pending') return t`Being read…`
  if (state === 'failed') return reason || t`Couldn’t extract text`
  return kind === 'text' ? '' : t`As its text`
}
