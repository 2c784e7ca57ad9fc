import { useEffect, useRef, useState } from 'react'
import { speechRecognizer, type SpeechRecognizer, type SpeechResultEvent } from '../../browser/speech'
import { speechError } from './dictation'

export type Dictation = {
  readonly isOffered: boolean
  readonly isListening: boolean
  /** What was heard and may still change. */
  readonly transcript: string
  readonly error: string
  toggle(): void
  stop(): void
}

/** Writes by voice, with the browser's own recognizer. `onWords` gets each piece that is certain. */
export function useDictation(onWords: (words: string) => void): Dictation {
  const [isListening, setListening] = useState(false)
  const [transcript, setTranscript] = useState('')
  const [error, setError] = useState('')
  const recognizer = useRef<SpeechRecognizer | null>(null)
  const give = useRef(onWords)
  give.current = onWords
  useEffect(() => () => recognizer.current?.abort(), [])

  const onResult = ({ resultIndex, results }: SpeechResultEvent) => {
    let certain = ''
    let open = ''
    for (let index = resultIndex; index < results.length; index++) {
      const result = results[index]
      if (result?.isFinal) certain += result[0].transcript
      else open += result?.[0].transcript ?? ''
    }
    if (certain) give.current(certain)
    setTranscript(open)
  }
  const start = () => {
    const Maker = speechRecognizer()
    if (!Maker) return
    const one = new Maker()
    Object.assign(one, { lang: navigator.language, continuous: true, interimResults: true })
    one.onresult = onResult
    one.onerror = (event) => setError(speechError(event.error))
    one.onend = () => {
      recognizer.current = null
      setListening(false)
      setTranscript('')
    }
    recognizer.current = one
    setError('')
    setListening(true)
    try {
      one.start()
    } catch {
      one.onend()
      setError(speechError(''))
    }
  }
  const stop = () => recognizer.current?.stop()
  return { isOffered: speechRecognizer() !== undefined, isListening, transcript, error, toggle: () => (recognizer.current ? stop() : start()), stop }
}
