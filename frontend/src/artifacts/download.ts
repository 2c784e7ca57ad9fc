/** A file name that every system takes: the title's letters and digits. */
export function fileName(title: string): string {
  const safe = title
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
  return `${safe || 'document'}.md`
}

export function download(title: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName(title)
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}
