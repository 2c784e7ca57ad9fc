import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import { t } from '@lingui/core/macro'
import { Popover } from 'radix-ui'
import type { FileItem } from '../api/generated'
import { visibleText } from '../plainText/segments'
import { lazyWithRetry } from '../ui/lazyComponent'
import { showPreview } from './preview'

const FilePeek = lazyWithRetry(() => import('./FilePeek'))

const HOVER_MS = 300
/** Long enough to reach the look from the button. */
const LEAVE_MS = 200

/** A button that shows a file in full. Who rests on it with the mouse, or presses Space, has a look at it first. */
export function PeekButton({ item, className, children }: { item: FileItem; className: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const name = visibleText(item.name)
  const button = useRef<HTMLButtonElement>(null)
  const byKey = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const later = (isOpen: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      byKey.current = false
      setOpen(isOpen)
    }, ms)
  }
  const enter = (event: React.PointerEvent) => event.pointerType === 'mouse' && later(true, HOVER_MS)
  const leave = (event: React.PointerEvent) => event.pointerType === 'mouse' && !byKey.current && later(false, LEAVE_MS)
  const enlarge = () => {
    clearTimeout(timer.current)
    setOpen(false)
    if (button.current) showPreview(item, button.current)
  }
  const onKey = (event: React.KeyboardEvent) => {
    if (event.key !== ' ') return
    event.preventDefault() // also when it is released, which would be a click
    if (event.type !== 'keydown' || event.repeat) return
    clearTimeout(timer.current)
    byKey.current = true
    setOpen(!open)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Anchor asChild>
        <button ref={button} type="button" className={className} aria-label={t`Show ${name}`} aria-haspopup="dialog" onPointerEnter={enter} onPointerLeave={leave} onKeyDown={onKey} onKeyUp={onKey} onClick={enlarge}>
          {children}
        </button>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={8}
          aria-label={t`Preview of ${name}`}
          className="menu rise w-67 overflow-hidden p-0 outline-none"
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={leave}
          onOpenAutoFocus={(event) => !byKey.current && event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (byKey.current && document.activeElement === document.body) button.current?.focus()
          }}
        >
          <Suspense fallback={<div className="skeleton m-3 h-60" />}>
            <FilePeek item={item} onEnlarge={enlarge} />
          </Suspense>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
