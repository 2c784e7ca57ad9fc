import { Download, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { FileItem } from '../api/generated'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'

type Props = {
  item: FileItem
  onDownload(): void
  /** The style of the thumbnail; a small square by default. */
  className?: string
}

/** An image in a message. A click opens it in full size. */
export function ImageDialog({ item, onDownload, className = 'size-36 object-cover' }: Props) {
  const name = visibleText(item.name)
  return (
    <Dialog.Root>
      <Dialog.Trigger className="block max-w-full overflow-hidden rounded-2xl border border-line transition-opacity hover:opacity-90" aria-label={`Show ${name}`}>
        <img src={item.url} alt={name} className={`bg-hover ${className}`} />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-black/70" />
        <Dialog.Content
          aria-describedby={undefined}
          className="rise fixed left-1/2 top-1/2 z-50 flex max-h-[94dvh] w-max max-w-[94vw] -translate-x-1/2 -translate-y-1/2 flex-col rounded-2xl border border-line bg-raise p-3 shadow-pop"
        >
          <div className="mb-2 flex items-center gap-1">
            <Dialog.Title className="min-w-0 flex-1 truncate pl-1 text-[14px] font-medium"><PlainText text={item.name} prose /></Dialog.Title>
            <button type="button" className="icon" aria-label={`Download ${name}`} title="Download" onClick={onDownload}>
              <Download className="size-4" aria-hidden />
            </button>
            <Dialog.Close className="icon" aria-label="Close" title="Close (Esc)">
              <X className="size-4" aria-hidden />
            </Dialog.Close>
          </div>
          <img src={item.url} alt={name} className="min-h-24 min-w-24 max-h-[80dvh] max-w-full rounded-lg bg-hover object-contain" />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
