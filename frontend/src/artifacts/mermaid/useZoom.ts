import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { fitScale, zoomByStep, zoomByWheel, type Size } from './zoom'

type Point = { readonly x: number; readonly y: number }
/** A point of the picture that stays at its place on screen. `shares`: its position as fractions of the width and height. */
type Anchor = { readonly at: Point; readonly shares: Point }

function useBoxSize(box: React.RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return size
}

const centreOf = (element: Element): Point => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

/** Zooms and pans a picture in a scrolling box. Scroll bars, arrow keys and touch pan without this code. */
export function useZoom(picture: Size) {
  const box = useRef<HTMLDivElement>(null)
  const image = useRef<HTMLImageElement>(null)
  const anchor = useRef<Anchor>(undefined)
  const [manualScale, setManualScale] = useState<number | null>(null)
  const size = useBoxSize(box)
  const scale = manualScale ?? fitScale(picture, size)

  const zoomTo = (next: number, at?: Point) => {
    if (!image.current || !box.current) return
    const point = at ?? centreOf(box.current)
    const { left, top, width, height } = image.current.getBoundingClientRect()
    anchor.current = { at: point, shares: { x: (point.x - left) / width, y: (point.y - top) / height } }
    setManualScale(next)
  }
  useLayoutEffect(() => {
    const target = anchor.current
    anchor.current = undefined
    if (!target || !image.current || !box.current) return
    const { left, top, width, height } = image.current.getBoundingClientRect()
    box.current.scrollLeft += left + target.shares.x * width - target.at.x
    box.current.scrollTop += top + target.shares.y * height - target.at.y
  }, [scale])

  const onWheel = useRef<(event: WheelEvent) => void>(undefined)
  onWheel.current = (event) => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    zoomTo(zoomByWheel(scale, event.deltaY), { x: event.clientX, y: event.clientY })
  }
  useEffect(() => {
    const listen = (event: WheelEvent) => onWheel.current?.(event)
    const element = box.current
    element?.addEventListener('wheel', listen, { passive: false }) // React's own listener cannot prevent the page's zoom
    return () => element?.removeEventListener('wheel', listen)
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+' || event.key === '=') zoomTo(zoomByStep(scale, 1))
    else if (event.key === '-') zoomTo(zoomByStep(scale, -1))
    else if (event.key === '0') setManualScale(null)
    else return
    event.preventDefault()
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && event.button === 0) event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!box.current || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    box.current.scrollLeft -= event.movementX
    box.current.scrollTop -= event.movementY
  }
  const pan = { ref: box, onKeyDown, onPointerDown, onPointerMove }
  const step = (direction: 1 | -1) => zoomTo(zoomByStep(scale, direction))
  return { pan, image, scale, step, fit: () => setManualScale(null) }
}
