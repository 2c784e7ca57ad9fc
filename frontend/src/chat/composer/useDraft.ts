import { useEffect, useState } from 'react'
import { adoptFreshDraft } from '../../browser/freshDraft'
import { readDraft, writeDraft } from '../../browser/drafts'
import type { Session } from '../session/session'
import type { SessionState } from '../session/sessionState'

/** The text of the message box, which survives reloads. A new chat stores it under the id of its tab until it is sent. */
export function useDraft(session: Session, { returnedText, quotedText }: SessionState): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(session.draftId))
  const change = (next: string) => {
    setText(next)
    writeDraft(session.draftId, next)
  }
  useEffect(() => {
    if (session.state.get().load !== 'new') return
    void adoptFreshDraft().then((draft) => {
      if (!draft) return
      // After a reload on a busy machine, the former page may still hold its draft, which is then adopted although it is shown.
      if (draft.text !== text) session.state.patch({ returnedText: draft.text })
      else if (!readDraft(session.draftId)) writeDraft(session.draftId, text)
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
