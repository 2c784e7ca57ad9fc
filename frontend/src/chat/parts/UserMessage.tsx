import { Markdown } from '../../markdown/Markdown'

export const USER_BUBBLE = 'ms-auto w-fit max-w-[85%] rounded-[20px] rounded-br-md bg-bubble px-4 py-2.5 text-[calc(15.5px*var(--text))] leading-[1.6] [overflow-wrap:anywhere]'

/** What the user wrote, as Markdown whose line breaks are kept. */
export function UserMessage({ text }: { text: string }) {
  if (!text) return null
  return (
    <div className={`${USER_BUBBLE} [&_p]:whitespace-pre-wrap`}>
      <Markdown text={text} />
    </div>
  )
}
