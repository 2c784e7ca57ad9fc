import { useEffect, useState } from 'react'
import { adoptFreshDraft, freshDraftId } from '../../browser/freshDraft'
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Session } from '../session/session'
import type { SessionState } from '../session/state'

/** The text of the message box, which survives reloads. A new chat stores it under the id of its tab until it is sent. */
export function useDraft(session: Session, { returnedText, quotedText }: SessionState): [string, (text: string) => void] {
  const id = () => (session.state.get().load === 'new' ? freshDraftId() : session.id)
  const [text, setText] = useState(() => readDraft(id()))
  const change = (next: string) => {
    setText(next)
    writeDraft(id(), next)
  }
  useEffect(() => {
    if (session.state.get().load !== 'new') return
    void adoptFreshDraft().then((draft) => {
      if (!draft) return
      // After a reload on a busy machine, the former page may still hold its draft, which is then adopted although it is shown.
      if (draft.text !== text) session.state.patch({ returnedText: draft.text })
      else if (!readDraft(id())) writeDraft(id(), text)
      session.attachments.restore(draft.fileIds)
    })
  }, [session])
  useEffect(() => {
    if (!returnedText && !quotedText) return
    const whole = [returnedText, text.trimEnd(), quotedText].filter(Boolean).join('\n\n')
    change(quotedText ? `${whole}\n\n` : whole)
    session.state.patch({ returnedText: '', quotedText: '' })
  }) // after each render; it acts only once, when a message came back or something was quoted
  return [text, change]
}
