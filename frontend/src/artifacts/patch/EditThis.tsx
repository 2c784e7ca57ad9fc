import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { errorMessage } from '../../api/client'
import type { EditSession } from '../editing/editSession'
import type { TextSelection } from '../editor/selectionButton'
import type { Proposal } from './PatchReview'
import { requestPatch } from './requestPatch'

type Props = { editing: EditSession; selected: TextSelection; onProposal(proposal: Proposal): void; onClose(): void }

const MAX_INSTRUCTION_CHARS = 2000

/** Asks what to do with the selected text. */
export function EditThis({ editing, selected, onProposal, onClose }: Props) {
  const { t } = useLingui()
  const [instruction, setInstruction] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const excerpt = selected.of.slice(selected.start, selected.end).trim()
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    if (!instruction.trim() || busy) return
    setBusy(true)
    setProblem('')
    try {
      const proposal = await requestPatch(editing, selected, instruction.trim())
      if (proposal.before === proposal.after) setProblem(t`No change suggested.`)
      else onProposal(proposal)
    } catch (error) {
      setProblem(error instanceof Error && !('status' in error) ? error.message : errorMessage(error))
    }
    setBusy(false)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    onClose()
  }
  return (
    <form onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown} aria-label={t`Edit just this`} className="rise shrink-0 space-y-2 border-t border-line bg-side p-3">
      <p className="line-clamp-2 border-s-2 border-accent ps-2 text-[12.5px] break-words text-fg2">{excerpt}</p>
      <div className="flex flex-wrap gap-2">
        <input
          autoFocus
          value={instruction}
          maxLength={MAX_INSTRUCTION_CHARS}
          onChange={(event) => setInstruction(event.target.value)}
          aria-label={t`What to change in the selection`}
          placeholder={t`What should change?`}
          className="field min-w-40 flex-1"
        />
        <button type="submit" className="btn-primary" disabled={busy || !instruction.trim()}>
          {busy ? <Trans>Asking…</Trans> : <Trans>Change</Trans>}
        </button>
        <button type="button" className="btn" onClick={onClose}>
          <Trans>Cancel</Trans>
        </button>
      </div>
      <p role="status" className="text-[12.5px] text-fg3">
        {busy ? <Trans>Only the selection will change. You decide before anything is saved.</Trans> : problem}
      </p>
    </form>
  )
}
