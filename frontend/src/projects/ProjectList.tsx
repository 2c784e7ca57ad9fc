// The projects in the sidebar.
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Folder, FolderOpen, Plus } from 'lucide-react'
import { canWrite } from '../api/boot'
import { goToProject, projectHref } from '../navigation/router'
import { openProjectDialog } from './dialogState'
import { useProjects } from './store'

export function ProjectList({ current, onChoose }: { current: string | undefined; onChoose: (() => void) | undefined }) {
  const projects = useProjects()
  const follow = (event: React.MouseEvent, id: string) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToProject(id)
    onChoose?.()
  }
  return (
    <section aria-label={t`Projects`} className="pb-1">
      <div className="flex items-center ps-2.5 pt-2">
        <h2 className="text-[11.5px] font-semibold text-fg3"><Trans>Projects</Trans></h2>
        {canWrite && (
          <button type="button" className="icon ms-auto size-7 pointer-coarse:size-11" aria-label={t`New project`} title={t`New project`} onClick={(event) => openProjectDialog({ kind: 'new' }, event.currentTarget)}>
            <Plus className="size-4" aria-hidden />
          </button>
        )}
      </div>
      <ul>
        {projects?.map(({ id, name, color }) => {
          const Icon = id === current ? FolderOpen : Folder
          return (
            <li key={id}>
              <a href={projectHref(id)} onClick={(event) => follow(event, id)} aria-current={id === current ? 'page' : undefined} className="side-row aria-[current]:bg-press aria-[current]:font-medium aria-[current]:text-fg">
                <Icon data-color={color} className="id-mark size-4 shrink-0" aria-hidden />
                <span className="truncate">{name}</span>
              </a>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
