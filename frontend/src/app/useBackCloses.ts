import { useEffect } from 'react'

type SheetHistoryState = { readonly sheet?: boolean } | null

const isMarked = (): boolean => Boolean((history.state as SheetHistoryState)?.sheet)

/** Makes the browser's Back close what covers the page, instead of leaving what is below it. An entry of the history stands for the cover. */
export function useBackCloses(open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return undefined
    if (!isMarked()) history.pushState({ sheet: true } satisfies SheetHistoryState, '', location.href)
    addEventListener('popstate', close)
    return () => {
      removeEventListener('popstate', close)
      if (isMarked()) history.back() // it was closed by other means, and did not lead elsewhere
    }
  }, [open, close])
}
