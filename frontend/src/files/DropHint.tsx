import { useEffect, useState } from 'react'
import { Trans } from '@lingui/react/macro'
import { Paperclip } from 'lucide-react'
import type { Attachments } from './attachments'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Attaches files that are dropped on the page, which the browser would open instead of the chat. Returns whether files are dragged over it. */
function useDrop(attachments: Attachments): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      attachments.add([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', onOver)
    addEventListener('dragleave', onLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onOver)
      removeEventListener('dragleave', onLeave)
      removeEventListener('drop', onDrop)
    }
  }, [attachments])
  return over
}

/** Tells the user, while files are dragged over the page, that they can be dropped anywhere. */
export function DropHint({ attachments }: { attachments: Attachments }) {
  if (!useDrop(attachments)) return null
  return (
    <div className="fade pointer-events-none fixed inset-0 z-40 grid place-items-center bg-bg/80 p-6">
      <p className="flex items-center gap-3 rounded-2xl border-2 border-dashed border-accent bg-raise px-8 py-6 text-[16px] font-medium shadow-pop">
        <Paperclip className="size-5 text-accent" aria-hidden />
        <Trans>Drop files to attach them</Trans>
      </p>
    </div>
  )
}
