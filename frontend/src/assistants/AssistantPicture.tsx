import { useState } from 'react'
import { Mark } from '../ui/Brand'

type Props = { name: string; url: string | null; size: 'small' | 'large' }

const COLORS = 6

/** Always the same of the six identity colours for one name. */
function colorOf(name: string): number {
  let sum = 0
  for (const letter of name) sum += letter.codePointAt(0) ?? 0
  return (sum % COLORS) + 1
}

const frame = (size: Props['size']): string => `${size === 'large' ? 'size-9.5 rounded-[10px] text-[15px]' : 'size-5 rounded-md text-[11px]'} grid shrink-0 place-items-center font-semibold`

/** An assistant's picture; the first letter of its name while there is none, or when it can't be loaded. */
export function AssistantPicture({ name, url, size }: Props) {
  const [brokenUrl, setBrokenUrl] = useState<string>()
  if (url && url !== brokenUrl) return <img src={url} alt="" className={`${frame(size)} object-cover`} onError={() => setBrokenUrl(url)} />
  return (
    <span data-color={colorOf(name)} className={`id-tile ${frame(size)}`} aria-hidden>
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}

/** The chat agent's own: the product's mark. */
export function OwnPicture() {
  return (
    <span className={`${frame('large')} bg-accent`} aria-hidden>
      <Mark className="size-6 text-accent-fg" />
    </span>
  )
}
