/** Scale of a picture; 1 is its natural size. */
const MIN_SCALE = 0.1
const MAX_SCALE = 8
const STEP = 1.25
const MARGIN_PX = 48
/** A small picture is enlarged at most so much to fill the box. */
const MAX_FIT = 2

export type Size = { readonly width: number; readonly height: number }

const clampScale = (scale: number): number => Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale))

/** One press of a zoom button. */
export const zoomByStep = (scale: number, direction: 1 | -1): number => clampScale(scale * STEP ** direction)

/** One turn of the wheel. Trackpads send many small ones. */
export const zoomByWheel = (scale: number, deltaY: number): number => clampScale(scale * Math.exp(-Math.max(-50, Math.min(50, deltaY)) / 100))

/** The scale at which the whole picture fills the box, but at most MAX_FIT. */
export function fitScale(picture: Size, box: Size): number {
  const room = Math.min((box.width - MARGIN_PX) / picture.width, (box.height - MARGIN_PX) / picture.height)
  return clampScale(room > 0 ? Math.min(MAX_FIT, room) : 1)
}
