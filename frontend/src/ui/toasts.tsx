import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { X } from 'lucide-react'
import { createStore, useStore } from './store'

type Action = { readonly label: string; act(): void }
type Toast = { readonly id: number; readonly text: string; readonly action: Action | undefined; readonly shownMs: number }

const SHOWN_MS = 8000
const toasts = createStore<readonly Toast[]>([])
let lastId = 0

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** Shows a sentence about what happened, and perhaps a button. It disappears after a while. */
export const showToast = (text: string, action?: Action, shownMs = SHOWN_MS): void => toasts.set([...toasts.get(), { id: ++lastId, text, action, shownMs }])

/** Dialogs hide all else from screen readers, but nothing that has `aria-live`. */
export function Toasts() {
  const list = useStore(toasts)
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4">
      {list.map((toast) => (
        <ToastRow key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

/** Stays while the pointer or the focus is on it. A line tells how long its button is there. */
function ToastRow({ toast: { id, text, action, shownMs } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => dismiss(id), shownMs)
    return () => clearTimeout(timer)
  }, [isHeld, id, shownMs])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  const act = () => {
    dismiss(id)
    action?.act()
  }
  return (
    <div onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release} className="rise pointer-events-auto relative flex min-h-11 max-w-full items-center gap-2 overflow-hidden rounded-xl bg-fg py-2 ps-4 pe-1.5 text-[13.5px] text-bg shadow-pop pointer-coarse:py-0">
      <span className="min-w-0 [overflow-wrap:anywhere] pointer-coarse:py-2">{text}</span>
      {action && (
        <button type="button" className="h-7 shrink-0 rounded-lg px-2 font-semibold pointer-coarse:h-11 pointer-coarse:min-w-11 underline underline-offset-2 hover:opacity-70" onClick={act}>
          {action.label}
        </button>
      )}
      <button type="button" className="grid size-7 shrink-0 place-items-center rounded-lg hover:opacity-70 pointer-coarse:size-11" aria-label={t`Dismiss`} onClick={() => dismiss(id)}>
        <X className="size-3.5" aria-hidden />
      </button>
      {action && !isHeld && <span className="runs-out" style={{ animationDuration: `${shownMs}ms` }} aria-hidden />}
    </div>
  )
}
