import { useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Check, Copy } from 'lucide-react'
import { showToast } from './toasts'

const SHOWN_MS = 1500
const COPY = { answer: msg`Copy answer`, code: msg`Copy code`, document: msg`Copy document`, html: msg`Copy HTML`, link: msg`Copy link`, message: msg`Copy message`, selection: msg`Copy selection`, token: msg`Copy token` } as const

/** Returns whether the browser took the text; it says why not. `html` is for programs that show more than plain text; it may fail. */
export async function copyText(text: string, html?: Promise<string>): Promise<boolean> {
  const { clipboard } = navigator
  try {
    if (html && 'ClipboardItem' in window) await clipboard.write([bothForms(text, html)]).catch(() => clipboard.writeText(text))
    else await clipboard.writeText(text)
    return true
  } catch {
    showToast(t`This browser does not let the page copy text. Select it and copy it yourself.`)
    return false
  }
}

const blobOf = (text: string, type: string) => new Blob([text], { type })

// Given as promises: a browser takes them only as long as the click is new.
const bothForms = (text: string, html: Promise<string>) =>
  new ClipboardItem({ 'text/plain': blobOf(text, 'text/plain'), 'text/html': html.then((source) => blobOf(source, 'text/html')) })

function useCopied(text: string, html?: (text: string) => Promise<string>): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text, html?.(text)))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return [copied, () => void copy()]
}

type Props = { text: string; what: keyof typeof COPY; word?: boolean; html?: (text: string) => Promise<string> }

/** A copy button: an icon, and with `word` a visible label. `html` makes the other form of the text. */
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
