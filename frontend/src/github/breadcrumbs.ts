export type Breadcrumb = { readonly label: string; readonly path: string }

/** The path to a folder, from the repository down. */
export function breadcrumbsOf(repository: string, path: string): Breadcrumb[] {
  const parts = path.split('/').filter(Boolean)
  return [{ label: repository, path: '' }, ...parts.map((label, index) => ({ label, path: parts.slice(0, index + 1).join('/') }))]
}
