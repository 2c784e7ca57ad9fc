import { useRef } from 'react'

/** For a dialog that has no trigger of its own: what had the focus when it opened gets it back, unless something else has it by then. */
export function useFocusBack() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: () => {
      if (document.activeElement === document.body && opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}
