import { useState } from 'react'
import { Trans } from '@lingui/react/macro'
import { Dialog } from 'radix-ui'
import { errorMessage } from '../api/client'
import type { SavedPromptItem } from '../api/generated'
import { promptsApi } from './promptsApi'

const GAP_EXAMPLE = '{{customer}}'

type Props = { prompt: SavedPromptItem | null; onClose(changed: boolean): void }

/** Writes a prompt of the user's own. `prompt` null: a new one. */
export function PromptDialog({ prompt, onClose }: Props) {
  const [title, setTitle] = useState(prompt?.title ?? '')
  const [text, setText] = useState(prompt?.text ?? '')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const act = async (work: Promise<unknown>) => {
    setBusy(true)
    try {
      await work
      onClose(true)
    } catch (problem) {
      setError(errorMessage(problem))
      setBusy(false)
    }
  }
  const save = (event: React.FormEvent) => {
    event.preventDefault()
    void act(prompt ? promptsApi.change(prompt.id, { title, text }) : promptsApi.create({ title, text }))
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose(false)}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content className="rise fixed left-1/2 top-[8vh] z-50 max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 overflow-y-auto rounded-2xl border border-line bg-raise p-5 shadow-pop">
          <Dialog.Title className="text-[16px] font-semibold">{prompt ? <Trans>Edit prompt</Trans> : <Trans>New prompt</Trans>}</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">
            <Trans>Only you see it, until you submit it under Templates. Put gaps to fill in double braces, such as {GAP_EXAMPLE}.</Trans>
          </Dialog.Description>
          <form onSubmit={save} className="mt-4 space-y-3">
            <label className="block text-[13px] font-medium">
              <Trans>Title</Trans>
              <input autoFocus required maxLength={60} value={title} onChange={(event) => setTitle(event.target.value)} className="field mt-1 w-full" />
            </label>
            <label className="block text-[13px] font-medium">
              <Trans>Text</Trans>
              <textarea required maxLength={8000} rows={6} value={text} onChange={(event) => setText(event.target.value)} className="field mt-1 h-auto w-full resize-y py-2" />
            </label>
            {error && (
              <p role="alert" className="text-[13px] text-bad">
                {error}
              </p>
            )}
            <div className="flex justify-end gap-2">
              {prompt && (
                <button type="button" className="btn me-auto text-bad" disabled={busy} onClick={() => void act(promptsApi.remove(prompt.id))}>
                  <Trans>Delete</Trans>
                </button>
              )}
              <Dialog.Close className="btn">
                <Trans>Cancel</Trans>
              </Dialog.Close>
              <button type="submit" className="btn-primary" disabled={busy || !title.trim() || !text.trim()}>
                <Trans>Save</Trans>
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
