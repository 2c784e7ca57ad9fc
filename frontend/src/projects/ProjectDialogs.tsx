// Dialogs about one project: make or change it, delete it.
import { useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Folder } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { ProjectItem } from '../api/generated'
import { goHome, goToProject } from '../navigation/router'
import { ErrorLine, FormDialog } from '../ui/FormDialog'
import { showToast } from '../ui/toasts'
import { closeProjectDialog, type ProjectDialog } from './dialogState'
import { projectsApi } from './projectsApi'
import { dropProject, putProject } from './store'

const COLORS = [
  { color: 1, name: msg`Blue` },
  { color: 2, name: msg`Teal` },
  { color: 3, name: msg`Green` },
  { color: 4, name: msg`Amber` },
  { color: 5, name: msg`Red` },
  { color: 6, name: msg`Violet` },
] as const

export default function ProjectDialogs({ dialog }: { dialog: ProjectDialog }) {
  if (dialog.kind === 'delete') return <DeleteDialog project={dialog.project} />
  return <EditDialog project={dialog.kind === 'edit' ? dialog.project : undefined} moving={dialog.kind === 'new' ? dialog.moving : undefined} />
}

function EditDialog({ project, moving }: { project: ProjectItem | undefined; moving: ((project: ProjectItem) => void) | undefined }) {
  const [name, setName] = useState(project?.name ?? '')
  const [description, setDescription] = useState(project?.description ?? '')
  const [color, setColor] = useState(project?.color ?? 1)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const save = async () => {
    if (!name.trim()) return setError(t`A project needs a name.`)
    setBusy(true)
    const fields = { name: name.trim(), description: description.trim(), color }
    try {
      const savedProject = await (project ? projectsApi.change(project.id, fields) : projectsApi.create(fields))
      putProject(savedProject)
      closeProjectDialog()
      if (moving) moving(savedProject)
      else if (!project) goToProject(savedProject.id)
    } catch (problem) {
      setError(errorMessage(problem))
      setBusy(false)
    }
  }
  return (
    <FormDialog title={project ? t`Rename project` : t`New project`} says={t`Chats in a project share its instructions and files.`} onClose={closeProjectDialog} onSubmit={() => void save()}>
      <label className="mt-4 block text-[13px] font-medium">
        <Trans>Name</Trans>
        <input autoFocus className="field mt-1.5" value={name} maxLength={80} onChange={(event) => setName(event.target.value)} onFocus={(event) => event.target.select()} />
      </label>
      <label className="mt-4 block text-[13px] font-medium">
        <Trans>What it is about <span className="font-normal text-fg3">(optional)</span></Trans>
        <input className="field mt-1.5" value={description} maxLength={200} onChange={(event) => setDescription(event.target.value)} />
      </label>
      <fieldset className="mt-4">
        <legend className="text-[13px] font-medium"><Trans>Color</Trans></legend>
        <div className="mt-1.5 flex gap-2">
          {COLORS.map((one) => (
            <label key={one.color} data-color={one.color} title={t(one.name)} className="id-tile grid size-9 cursor-pointer place-items-center rounded-lg has-checked:outline-2 has-checked:outline-offset-1 has-checked:outline-current has-focus-visible:outline-2 has-focus-visible:outline-offset-3 has-focus-visible:outline-accent pointer-coarse:size-11">
              <input type="radio" name="color" className="sr-only" checked={color === one.color} onChange={() => setColor(one.color)} aria-label={t(one.name)} />
              <Folder className="size-4.5" aria-hidden />
            </label>
          ))}
        </div>
      </fieldset>
      {error && <ErrorLine text={error} />}
      <Buttons>
        <button type="submit" className="btn-primary" disabled={busy}>
          {project ? t`Save` : t`Create`}
        </button>
      </Buttons>
    </FormDialog>
  )
}

function DeleteDialog({ project }: { project: ProjectItem }) {
  const [fate, setFate] = useState<'keep' | 'delete'>('keep')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    try {
      await projectsApi.remove(project.id, fate)
      dropProject(project.id)
      closeProjectDialog()
      goHome()
      showToast(t`“${project.name}” deleted`)
    } catch (problem) {
      setError(errorMessage(problem))
      setBusy(false)
    }
  }
  return (
    <FormDialog title={t`Delete “${project.name}”?`} says={t`Its instructions and files are deleted for good.`} onClose={closeProjectDialog} onSubmit={() => void remove()}>
      <fieldset className="mt-4 space-y-2 text-[14px]">
        <legend className="mb-2 text-[13px] font-medium"><Trans>Its chats</Trans></legend>
        <Choice checked={fate === 'keep'} onChoose={() => setFate('keep')} label={t`Keep them outside of the project`} />
        <Choice checked={fate === 'delete'} onChoose={() => setFate('delete')} label={t`Delete them too, also archived ones`} />
      </fieldset>
      {error && <ErrorLine text={error} />}
      <Buttons>
        <button type="submit" className="btn-bad" disabled={busy}>
          <Trans>Delete project</Trans>
        </button>
      </Buttons>
    </FormDialog>
  )
}

function Choice({ checked, onChoose, label }: { checked: boolean; onChoose(): void; label: string }) {
  return (
    <label className="flex min-h-8 cursor-pointer items-center gap-2.5">
      <input type="radio" name="fate" checked={checked} onChange={onChoose} className="size-4 accent-[var(--accent)]" />
      {label}
    </label>
  )
}

function Buttons({ children }: { children: React.ReactNode }) {
  return (
    <div className="mt-5 flex justify-end gap-2">
      <button type="button" className="btn" onClick={closeProjectDialog}>
        <Trans>Cancel</Trans>
      </button>
      {children}
    </div>
  )
}
