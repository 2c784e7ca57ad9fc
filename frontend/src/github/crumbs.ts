export type Crumb = { readonly label: string; readonly path: string }

/** The way to a folder, from the repository down. */
export function crumbs(repository: string, path: string): Crumb[] {
  const parts = path.split('/').filter(Boolean)
  return [{ label: repository, path: '' }, ...parts.map((label, index) => ({ label, path: parts.slice(0, index + 1).join('/') }))]
}
