import { useLingui } from '@lingui/react/macro'
import { Copy, Download, Image } from 'lucide-react'
import { showToast } from '../../ui/toasts'

const bytesOf = (png: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))
const blobOf = (png: string): Blob => new Blob([bytesOf(png)], { type: 'image/png' })

/** A picture of the program's, to copy and to keep. */
export function Figure({ png, number }: { png: string; number: number }) {
  const { t } = useLingui()
  const name = t`Figure ${number}`
  const copy = () =>
    navigator.clipboard.write([new ClipboardItem({ 'image/png': blobOf(png) })]).then(
      () => showToast(t`${name} is copied.`),
      () => showToast(t`This browser does not let the page copy pictures. Download it instead.`),
    )
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blobOf(png))
    link.download = `figure-${number}.png`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href))
  }
  return (
    <figure className="my-2 w-fit max-w-full overflow-hidden rounded-xl border border-line bg-raise font-sans">
      <figcaption className="flex items-center gap-2 border-b border-line py-0.5 ps-3 pe-1 text-[12.5px] text-fg3">
        <Image className="size-3.5" aria-hidden />
        {name}
        <button type="button" className="icon ms-auto" aria-label={t`Copy ${name}`} title={t`Copy`} onClick={() => void copy()}>
          <Copy className="size-4" aria-hidden />
        </button>
        <button type="button" className="icon" aria-label={t`Download ${name}`} title={t`Download`} onClick={download}>
          <Download className="size-4" aria-hidden />
        </button>
      </figcaption>
      <img src={`data:image/png;base64,${png}`} alt={t`Picture that the program shows`} className="max-w-full" />
    </figure>
  )
}
