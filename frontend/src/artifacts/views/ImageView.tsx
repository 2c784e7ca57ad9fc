import { useRef, useState } from 'react'
import type { ViewProps } from '../document'
import { loadVersion } from '../store'
import { Wait } from './Wait'

/** A version of an image. Its address is good for minutes: when it ran out, a new one is fetched, once. */
export default function ImageView({ document: { entry, shown } }: ViewProps) {
  const [broken, setBroken] = useState('')
  const tried = useRef<number | null>(null)
  const number = shown.number
  if (number === null) return <Wait text="The image is not there yet." />
  const url = entry.fileUrls[number]
  if (!url) return <Wait text="Loading…" />
  if (broken === url) return <Wait text="The image cannot be shown. Its file may have been deleted." />
  const onError = () => {
    if (tried.current === number) return setBroken(url)
    tried.current = number
    void loadVersion(entry.id, number)
  }
  return (
    <div tabIndex={0} role="region" aria-label="Image" className="flex h-full items-center justify-center overflow-auto bg-side p-6 outline-offset-[-2px]">
      <img src={url} alt={`${entry.title}, version ${number}`} onError={onError} className="max-h-full max-w-full rounded-lg object-contain shadow-pop" />
    </div>
  )
}
