// Where threads stand beside the text: each at its passage, none over another.

/** `passageTop`: the top of its passage. Null: it has none, and follows the thread before it. */
export type ThreadBox = { readonly passageTop: number | null; readonly height: number }

type Options = { readonly active: number | null; readonly least: number; readonly gap: number }

/** Each one at the place that it wants, or below the one before it. */
function pushedDown(boxes: readonly ThreadBox[], least: number, gap: number): number[] {
  let free = least
  return boxes.map(({ passageTop, height }) => {
    const top = Math.max(passageTop ?? free, free)
    free = top + height + gap
    return top
  })
}

/**
 * The tops of boxes that come in the order of the text. The active one stands at its passage, and the others give way; only where those
 * above it have no room below `least` does it move down.
 */
export function placed(boxes: readonly ThreadBox[], { active, least, gap }: Options): number[] {
  const activeTop = active === null ? null : (boxes[active]?.passageTop ?? null)
  if (active === null || activeTop === null) return pushedDown(boxes, least, gap)
  const above = boxes.slice(0, active)
  const minTop = above.reduce((sum, { height }) => sum + height + gap, least)
  const exact = Math.max(activeTop, minTop)
  const tops = pushedDown(above, least, gap)
  let limit = exact
  for (let index = active - 1; index >= 0; index--) {
    limit = Math.min(tops[index]!, limit - gap - above[index]!.height)
    tops[index] = limit
  }
  return [...tops, ...pushedDown(boxes.slice(active), exact, gap)]
}
