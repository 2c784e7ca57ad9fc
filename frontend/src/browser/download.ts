/** A file name that is valid on every system, made of the title's letters and digits. A title that ends in an extension keeps it. */
export function fileName(title: string, extension: string): string {
  const safe = title
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
  const has = extension === 'txt' ? /\.\w{1,8}$/.test(safe) : safe.toLowerCase().endsWith(`.${extension}`)
  return has ? safe : `${safe || 'document'}.${extension}`
}

/** Lets the browser download an address. */
export function downloadUrl(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

export function downloadBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  downloadUrl(url, name)
  setTimeout(() => URL.revokeObjectURL(url))
}

export const downloadText = (name: string, mime: string, text: string): void => downloadBlob(name, new Blob([text], { type: `${mime};charset=utf-8` }))
