import { useLingui } from '@lingui/react/macro'
import { Square, Volume2 } from 'lucide-react'
import { createStore, useStore } from '../../ui/store'

/** The id of the message that the browser's voice reads; empty: none. It goes on when the message leaves the screen. */
const reading = createStore('')

function readAloud(messageId: string, text: string): void {
  speechSynthesis.cancel()
  const speech = new SpeechSynthesisUtterance(text)
  const onEnd = () => reading.get() === messageId && reading.set('')
  speech.addEventListener('end', onEnd)
  speech.addEventListener('error', onEnd)
  reading.set(messageId)
  speechSynthesis.speak(speech)
}

function stop(): void {
  reading.set('')
  speechSynthesis.cancel()
}

/** The words of the answer as they are on screen, without its markup. */
const wordsAround = (button: Element): string => [...(button.closest('article')?.querySelectorAll<HTMLElement>('.md') ?? [])].map((block) => block.innerText).join('\n\n')

/** `text`: words of the message that are read instead of all; then the button has a visible label. */
export function ReadAloudButton({ messageId, text }: { messageId: string; text?: string }) {
  const { t } = useLingui()
  const isReading = useStore(reading) === messageId
  if (!('speechSynthesis' in window)) return null
  const label = isReading ? t`Stop reading` : t`Read aloud`
  const Icon = isReading ? Square : Volume2
  return (
    <button type="button" className={text ? 'ghost' : 'icon'} aria-label={label} title={label} onClick={(event) => (isReading ? stop() : readAloud(messageId, text ?? wordsAround(event.currentTarget)))}>
      <Icon className="size-3.5" aria-hidden />
      {text && label}
    </button>
  )
}
