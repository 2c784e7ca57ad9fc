import { boot } from '../api/boot'
import { apiErrorFrom, OFFLINE_ERROR, queryString, redirectToSignIn, request } from '../api/client'
import type { ArtifactPage, FileItem, NewProject, ProjectChange, ProjectFileItem, ProjectFileList, ProjectItem, ProjectList } from '../api/generated'

export const projectsApi = {
  list: () => request<ProjectList>('GET', 'projects/'),
  create: (project: NewProject) => request<ProjectItem>('POST', 'projects/', project),
  change: (id: string, change: ProjectChange) => request<ProjectItem>('PATCH', `projects/${id}/`, change),
  remove: (id: string, conversations: 'keep' | 'delete') => request<null>('DELETE', `projects/${id}/${queryString({ conversations })}`),
  artifacts: (id: string, cursor: string | null) => request<ArtifactPage>('GET', `projects/${id}/artifacts/${queryString({ cursor })}`),
  files: (id: string) => request<ProjectFileList>('GET', `projects/${id}/files/`),
  attachFile: (id: string, fileId: string) => request<FileItem>('POST', `projects/${id}/files/${fileId}/attachments/`),
  readFileAgain: (id: string, fileId: string) => request<ProjectFileItem>('POST', `projects/${id}/files/${fileId}/readings/`),
  removeFile: (id: string, fileId: string) => request<null>('DELETE', `projects/${id}/files/${fileId}/`),
}

/** Adds a file to a project. Rejects with an ApiError. */
export async function addProjectFile(id: string, file: File): Promise<ProjectFileItem> {
  const body = new FormData()
  body.append('file', file)
  const headers = { accept: 'application/json', 'X-CSRFToken': boot.csrfToken }
  const response = await fetch(`${boot.api}/projects/${id}/files/`, { method: 'POST', headers, body }).catch(() => Promise.reject(OFFLINE_ERROR))
  if (response.status === 401) redirectToSignIn()
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw apiErrorFrom(response.status, answer)
  return answer as ProjectFileItem
}
