import { useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Check, Copy } from 'lucide-react'
import { showToast } from './toasts'

const SHOWN_MS = 1500
const COPY = { answer: msg`Copy answer`, code: msg`Copy code`, document: msg`Copy document`, html: msg`Copy HTML`, link: msg`Copy link`, message: msg`Copy message`, selection: msg`Copy selection`, token: msg`Copy token` } as const

/** Returns whether the browser took the text; it says why not. `html` is for programs that show more than plain text. */
export async function copyText(text: string, html?: string): Promise<boolean> {
  try {
    if (html && 'ClipboardItem' in window) await navigator.clipboard.write([bothForms(text, html)])
    else await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast(t`This browser does not let the page copy text. Select it and copy it yourself.`)
    return false
  }
}

const blobOf = (text: string, type: string) => new Blob([text], { type })

const bothForms = (text: string, html: string) =>
  new ClipboardItem({ 'text/plain': blobOf(text, 'text/plain'), 'text/html': blobOf(html, 'text/html') })

function useCopied(text: string, html?: (text: string) => string): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text, html?.(text)))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return [copied, () => void copy()]
}

/** A copy button: an icon, and with `word` a visible label. `html` makes the other form of the text. */
type Props = { text: string; what: keyof typeof COPY; word?: boolean; html?: (text: string) => string }

export function CopyButton({ text, what, word = false, html }: Props) {
  const [copied, copy] = useCopied(text, html)
  const Icon = copied ? Check : Copy
  return (
    <button type="button" className={word ? 'ghost' : 'icon'} onClick={copy} aria-label={copied ? t`Copied` : t(COPY[what])} title={t(COPY[what])}>
      <Icon className={`size-3.5 ${copied ? 'text-ok' : ''}`} aria-hidden />
      {word && (copied ? t`Copied` : t`Copy`)}
    </button>
  )
}
