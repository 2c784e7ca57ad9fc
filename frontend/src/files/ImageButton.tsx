import { useLingui } from '@lingui/react/macro'
import type { FileItem } from '../api/generated'
import { visibleText } from '../plainText/segments'
import { showPreview } from './preview'

type Props = {
  item: FileItem
  /** The style of the thumbnail; a small square by default. */
  className?: string
}

/** An image in a message. A click opens it in full size. */
export function ImageButton({ item, className = 'size-36 object-cover' }: Props) {
  const { t } = useLingui()
  const name = visibleText(item.name)
  return (
    <button
      type="button"
      className="block max-w-full overflow-hidden rounded-2xl border border-line transition-opacity hover:opacity-90"
      aria-label={t`Show ${name}`}
      aria-haspopup="dialog"
      onClick={(event) => showPreview(item, event.currentTarget)}
    >
      <img src={item.url} alt={name} className={`bg-hover ${className}`} />
    </button>
  )
}
