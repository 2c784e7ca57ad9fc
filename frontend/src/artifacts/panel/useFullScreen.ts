import { useEffect, useState, type RefObject } from 'react'

/** What lies before the panel in the page: the sidebar and the chat. The notices behind it stay in reach. */
function coveredBy(panel: Element): Element[] {
  const covered: Element[] = []
  for (let at: Element | null = panel; at && at.id !== 'root'; at = at.parentElement) {
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) covered.push(before)
  }
  return covered
}

/** Whether the panel fills the page. Then nothing under it takes the focus. */
export function useFullScreen(panel: RefObject<HTMLElement | null>): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(false)
  useEffect(() => {
    if (!on || !panel.current) return undefined
    const covered = coveredBy(panel.current)
    covered.forEach((element) => element.setAttribute('inert', ''))
    return () => covered.forEach((element) => element.removeAttribute('inert'))
  }, [on, panel])
  return [on, setOn]
}
