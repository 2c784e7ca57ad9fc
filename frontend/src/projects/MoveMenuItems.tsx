import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Check, Folder, FolderMinus, FolderPlus } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ConversationItem, ProjectItem } from '../api/generated'
import { moveConversations } from '../conversations/store'
import { openProjectDialog } from './dialogState'
import { useProjects } from './store'

/** The projects that conversations can be moved into, as items of a menu. */
export function MoveMenuItems({ items, onMoved }: { items: readonly ConversationItem[]; onMoved?: () => void }) {
  const projects = useProjects() ?? []
  const move = (project: ProjectItem | null) => void moveConversations(items, project?.id ?? null, project?.name ?? '').then(onMoved)
  const shared = items.every((item) => item.projectId === items[0]?.projectId) ? items[0]?.projectId : undefined
  return (
    <>
      {projects.map((project) => (
        <DropdownMenu.Item key={project.id} className="menu-item" disabled={project.id === shared} onSelect={() => move(project)}>
          <Folder data-color={project.color} className="id-mark size-4 shrink-0" aria-hidden />
          <span className="truncate">{project.name}</span>
          {project.id === shared && <Check className="ms-auto size-4 shrink-0" aria-label={t`Current project`} />}
        </DropdownMenu.Item>
      ))}
      <DropdownMenu.Item className="menu-item" onSelect={() => openProjectDialog({ kind: 'new', moving: move })}>
        <FolderPlus className="size-4 text-fg3" aria-hidden />
        <Trans>New project</Trans>
      </DropdownMenu.Item>
      {items.some((item) => item.projectId) && (
        <DropdownMenu.Item className="menu-item" onSelect={() => move(null)}>
          <FolderMinus className="size-4 text-fg3" aria-hidden />
          <Trans>Remove from project</Trans>
        </DropdownMenu.Item>
      )}
    </>
  )
}
