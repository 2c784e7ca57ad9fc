import { useEffect, useState } from 'react'
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Session } from '../session/session'

/** The text of the message box, which survives reloads. A new chat stores it under one fixed id until it is sent. */
export function useDraft(session: Session, returned: string): [string, (text: string) => void] {
  const id = () => (session.state.get().load === 'new' ? 'new' : session.id)
  const [text, setText] = useState(() => readDraft(id()))
  const change = (next: string) => {
    setText(next)
    writeDraft(id(), next)
  }
  useEffect(() => {
    if (!returned) return
    change(text ? `${returned}\n\n${text}` : returned)
    session.state.patch({ returnedText: '' })
  }) // after each render; it acts only once, when a message came back
  return [text, change]
}
