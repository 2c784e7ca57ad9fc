import { useState } from 'react'
import { initials } from './initials'

type Props = { name: string; url: string | null; shape: 'round' | 'square'; size?: 'large' }

/** A picture of a person or an organization; their initials while there is none, or when it can't be loaded. */
export function Avatar({ name, url, shape, size }: Props) {
  const [brokenUrl, setBrokenUrl] = useState<string>()
  const form = `${shape === 'round' ? 'rounded-full' : 'rounded-md'} ${size === 'large' ? 'size-16 text-[22px]' : 'size-6 text-[10.5px]'} shrink-0`
  if (url && url !== brokenUrl) return <img src={url} alt="" className={`${form} object-cover`} onError={() => setBrokenUrl(url)} />
  const colors = shape === 'round' ? 'bg-soft text-accent' : 'bg-accent text-accent-fg'
  return (
    <span className={`grid place-items-center font-semibold ${form} ${colors}`} aria-hidden>
      {shape === 'round' ? initials(name) : name.slice(0, 1).toUpperCase()}
    </span>
  )
}
