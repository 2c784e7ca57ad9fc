import { useRef } from 'react'
import { Paperclip } from 'lucide-react'
import type { Attachments } from './attachments'

export function AttachButton({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null)
  const chosen = (event: React.ChangeEvent<HTMLInputElement>) => {
    attachments.add([...(event.target.files ?? [])])
    event.target.value = '' // the same file can be chosen again
  }
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label="Files" onChange={chosen} />
      <button type="button" className="icon" aria-label="Attach files" title="Attach files" onClick={() => input.current?.click()}>
        <Paperclip className="size-4.5" aria-hidden />
      </button>
    </>
  )
}

/** Files of a paste; text that comes with them (a table from a spreadsheet also has a picture of it) wins. */
export function pastedFiles(event: React.ClipboardEvent): readonly File[] {
  const { files, types } = event.clipboardData
  return types.includes('text/plain') ? [] : [...files]
}
