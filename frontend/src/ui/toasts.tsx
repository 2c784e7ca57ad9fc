import { X } from 'lucide-react'
import { createStore, useStore } from './store'

type Toast = { readonly id: number; readonly text: string }

const SHOWN_MS = 7000
const toasts = createStore<readonly Toast[]>([])
let lastId = 0

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** Shows a sentence about what went wrong. It disappears after a while. */
export function showToast(text: string): void {
  const id = ++lastId
  toasts.set([...toasts.get(), { id, text }])
  setTimeout(() => dismiss(id), SHOWN_MS)
}

export function Toasts() {
  const shown = useStore(toasts)
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4">
      {shown.map((toast) => (
        <div key={toast.id} className="rise pointer-events-auto flex items-center gap-2 rounded-xl bg-fg py-2 pl-4 pr-1.5 text-[13.5px] text-bg shadow-pop">
          {toast.text}
          <button type="button" className="grid size-7 place-items-center rounded-lg hover:opacity-70" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
            <X className="size-3.5" aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
