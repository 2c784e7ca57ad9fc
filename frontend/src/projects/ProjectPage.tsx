// A project: a message box that begins a chat in it, its conversations, its instructions and its files.
import { useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Folder, MoreHorizontal, Pencil, Search, SquareCheck, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { canWrite } from '../api/boot'
import type { ProjectItem } from '../api/generated'
import { Composer } from '../chat/composer/Composer'
import { draftSession } from '../chat/session/sessions'
import { useConversation } from '../chat/useConversation'
import { MoreOfList } from '../conversations/ArchivePage'
import { ListRow } from '../conversations/ListRow'
import { sidebarItems } from '../conversations/list'
import { startSelection, useSelection } from '../conversations/selection'
import SelectionBar from '../conversations/SelectionBar'
import { useConversations } from '../conversations/store'
import { useList } from '../conversations/useList'
import { NotFound } from '../navigation/NotFound'
import { openSearch } from '../search/dialogState'
import { openProjectDialog } from './dialogState'
import { ProjectDocuments } from './ProjectDocuments'
import { ProjectFiles } from './ProjectFiles'
import { ProjectInstructions } from './ProjectInstructions'
import { useProject, useProjects } from './store'

export default function ProjectPage({ id }: { id: string }) {
  const project = useProject(id)
  const isKnown = useProjects() !== undefined
  if (!project) return isKnown ? <NotFound what="Project" /> : null
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={project.name}>
      <div className="mx-auto w-full max-w-[1072px] px-4 pb-12 pt-6 max-sm:pt-2">
        <Title project={project} />
        <div className="mt-5 grid grid-cols-[minmax(0,1fr)_336px] items-start gap-7 max-[1180px]:grid-cols-1">
          <div className="min-w-0">
            {canWrite && <NewChat key={id} projectId={id} />}
            <Contents key={id} project={project} />
          </div>
          <div className="space-y-3.5">
            <ProjectInstructions key={`instructions-${id}`} project={project} />
            <ProjectFiles key={`files-${id}`} project={project} />
          </div>
        </div>
      </div>
    </div>
  )
}

function Title({ project }: { project: ProjectItem }) {
  const menu = useRef<HTMLButtonElement>(null)
  const hasDialog = useRef(false)
  const open = (kind: 'edit' | 'delete') => () => {
    hasDialog.current = true
    openProjectDialog({ kind, project }, menu.current)
  }
  return (
    <div className="flex items-center gap-3.5">
      <span data-color={project.color} className="id-tile grid size-11 shrink-0 place-items-center rounded-xl">
        <Folder className="size-5.5" aria-hidden />
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="truncate text-[26px] font-[680] leading-tight tracking-[-0.026em] max-sm:text-[21px]">{project.name}</h2>
        {project.description && <p className="truncate text-[14px] text-fg2">{project.description}</p>}
      </div>
      {canWrite && (
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger ref={menu} className="icon" aria-label={t`Options for ${project.name}`} title={t`Options for ${project.name}`}>
            <MoreHorizontal className="size-4" aria-hidden />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              className="menu rise min-w-44"
              align="end"
              onCloseAutoFocus={(event) => {
                if (hasDialog.current) event.preventDefault()
                hasDialog.current = false
              }}
            >
              <DropdownMenu.Item className="menu-item" onSelect={open('edit')}>
                <Pencil className="size-4 text-fg3" aria-hidden />
                <Trans>Rename</Trans>
              </DropdownMenu.Item>
              <DropdownMenu.Item className="menu-item" onSelect={() => startSelection()}>
                <SquareCheck className="size-4 text-fg3" aria-hidden />
                <Trans>Select several</Trans>
              </DropdownMenu.Item>
              <DropdownMenu.Separator className="my-1 h-px bg-line" />
              <DropdownMenu.Item className="menu-item text-bad" onSelect={open('delete')}>
                <Trash2 className="size-4" aria-hidden />
                <Trans>Delete project</Trans>
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </div>
  )
}

/** The message box of the project's next conversation. */
function NewChat({ projectId }: { projectId: string }) {
  const session = draftSession(projectId)
  const conversation = useConversation(session)
  return (
    <div className="-mx-4">
      <Composer session={session} conversation={conversation} takesDrops={false} placeholder={t`Start a chat in this project`} />
    </div>
  )
}

/** Its chats, or the documents that were made in them. */
function Contents({ project }: { project: ProjectItem }) {
  const [tab, setTab] = useState<'chats' | 'documents'>('chats')
  const choices = [
    { value: 'chats', label: t`Chats` },
    { value: 'documents', label: t`Documents` },
  ] as const
  return (
    <>
      <div className="mt-4 flex min-h-8 flex-wrap items-center gap-2 pb-2">
        <div role="group" aria-label={t`Show`} className="flex rounded-lg bg-hover p-0.5">
          {choices.map(({ value, label }) => (
            <button key={value} type="button" aria-pressed={tab === value} onClick={() => setTab(value)} className="min-h-7 rounded-md px-3 text-[13px] font-medium text-fg2 aria-pressed:bg-raise aria-pressed:text-fg aria-pressed:shadow-sm dark:aria-pressed:bg-line2 pointer-coarse:min-h-11">
              {label}
            </button>
          ))}
        </div>
        <button type="button" className="ghost ms-auto" onClick={(event) => openSearch(event.currentTarget, project.id)}>
          <Search className="size-3.5" aria-hidden />
          <Trans>Search here</Trans>
        </button>
      </div>
      {tab === 'chats' ? <Conversations project={project} /> : <ProjectDocuments projectId={project.id} />}
    </>
  )
}

function Conversations({ project }: { project: ProjectItem }) {
  const list = useList({ projectId: project.id }, (item) => item.projectId === project.id && !item.archived)
  const isEmpty = list.items.length === 0 && !list.isLoading && !list.error
  const isChoosing = useSelection() !== null
  const others = sidebarItems(useConversations().items)
  return (
    <section aria-label={t`Chats in this project`}>
      <ul className="-mx-3">
        {list.items.map((item) => (
          <ListRow key={item.id} item={item} />
        ))}
      </ul>
      {isEmpty && <p className="py-6 text-[14px] text-fg3">{canWrite ? t`Start a chat above, or move one here from its menu.` : t`No chats yet.`}</p>}
      <MoreOfList list={list} />
      {isChoosing && (
        <div className="sticky bottom-0 mt-3">
          <SelectionBar items={[...list.items, ...others.filter((item) => item.projectId !== project.id)]} />
        </div>
      )}
    </section>
  )
}
