/** Files of a paste; text that comes with them (a table from a spreadsheet also has a picture of it) wins. */
export function pastedFiles(event: React.ClipboardEvent): readonly File[] {
  const { files, types } = event.clipboardData
  return types.includes('text/plain') ? [] : [...files]
}
