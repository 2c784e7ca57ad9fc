export const USER_BUBBLE = 'ml-auto w-fit max-w-[85%] whitespace-pre-wrap rounded-[20px] rounded-br-md bg-bubble px-4 py-2.5 text-[15.5px] leading-[1.6] [overflow-wrap:anywhere]'

export function UserMessage({ text }: { text: string }) {
  return text ? <div className={USER_BUBBLE}>{text}</div> : null
}
