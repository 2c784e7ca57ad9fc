import { useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Check, Copy } from 'lucide-react'
import { showToast } from './toasts'

const SHOWN_MS = 1500
const COPY = { answer: msg`Copy answer`, code: msg`Copy code`, document: msg`Copy document`, html: msg`Copy HTML`, link: msg`Copy link`, message: msg`Copy message`, selection: msg`Copy selection`, token: msg`Copy token` } as const

/** Returns whether the browser took the text; it says why not. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast(t`This browser does not let the page copy text. Select it and copy it yourself.`)
    return false
  }
}

function useCopied(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return [copied, () => void copy()]
}

/** A copy button: an icon, and with `word` a visible label. */
export function CopyButton({ text, what, word = false }: { text: string; what: keyof typeof COPY; word?: boolean }) {
  const [copied, copy] = useCopied(text)
  const Icon = copied ? Check : Copy
  return (
    <button type="button" className={word ? 'ghost' : 'icon'} onClick={copy} aria-label={copied ? t`Copied` : t(COPY[what])} title={t(COPY[what])}>
      <Icon className={`size-3.5 ${copied ? 'text-ok' : ''}`} aria-hidden />
      {word && (copied ? t`Copied` : t`Copy`)}
    </button>
  )
}
