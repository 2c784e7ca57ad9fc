// The member's projects: folders of conversations. The sidebar lists them, and notifications keep the list up to date.
import type { ProjectItem } from '../api/generated'
import { createStore, useStore } from '../ui/store'
import { projectsApi } from './projectsApi'

/** By name; undefined while nothing is known. */
const projects = createStore<readonly ProjectItem[] | undefined>(undefined)
let lastRequest = 0

export const useProjects = (): readonly ProjectItem[] | undefined => useStore(projects)
export const useProject = (id: string | null | undefined): ProjectItem | undefined => useStore(projects)?.find((project) => project.id === id)

/** Reads the list again. Of several answers, the one that was asked for last counts. */
export async function loadProjects(): Promise<void> {
  const request = ++lastRequest
  try {
    const { items } = await projectsApi.list()
    if (request === lastRequest) projects.set(items)
  } catch {
    if (request === lastRequest && !projects.get()) projects.set([]) // the next reconnection asks again
  }
}

/** Shows a project that was made or changed here, before the list is read again. */
export function putProject(project: ProjectItem): void {
  const others = (projects.get() ?? []).filter(({ id }) => id !== project.id)
  projects.set([...others, project].toSorted((a, b) => a.name.localeCompare(b.name)))
}

export const dropProject = (id: string): void => projects.set((projects.get() ?? []).filter((project) => project.id !== id))
