import { useEffect, useRef } from 'react'
import { Markdown } from '../../markdown/Markdown'
import type { ViewProps } from '../document'
import { SuggestionList } from '../suggestions/SuggestionList'

/** The rendered document; while it is written, its end stays in sight. */
export default function ReadView({ document }: ViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const { live } = document.shown
  const text = document.text ?? ''
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    atEnd.current = scrollHeight - scrollTop - clientHeight < 60
  }
  useEffect(() => {
    if (live && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text, live])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label="Document" className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        <div className="mx-auto max-w-[44rem] px-8 py-7 max-sm:px-5">
          <Markdown text={text} streaming={live} />
        </div>
      </div>
      <SuggestionList document={document} />
    </div>
  )
}
