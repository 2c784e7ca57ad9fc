// The user's API tokens for clients outside the browser.
import { useEffect, useState } from 'react'
import { Dialog } from 'radix-ui'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import { useStore } from '../ui/store'
import { focusOpener, tokensDialogOpen } from './dialogState'
import { NewTokenNotice } from './NewTokenNotice'
import { TokenForm } from './TokenForm'
import { TokenRow } from './TokenRow'
import type { MadeToken, Token } from '../api/generated'
import { tokensApi } from './tokensApi'

/** The user's API tokens. The text of a new one is only in the state of this dialog, until it closes. */
export function TokensDialog() {
  const open = useStore(tokensDialogOpen)
  return (
    <Dialog.Root open={open} onOpenChange={tokensDialogOpen.set}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-black/30" />
        <Dialog.Content
          onCloseAutoFocus={focusOpener}
          className="rise fixed left-1/2 top-[8vh] z-50 flex max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 flex-col rounded-2xl border border-line bg-raise p-5 shadow-pop"
        >
          <Dialog.Title className="text-[16px] font-semibold">API tokens</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">
            For programs that act for you in {boot.organization.name}, with your role there and no more than you allow them.
          </Dialog.Description>
          <Tokens />
          <div className="mt-4 flex justify-end">
            <Dialog.Close className="btn">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The list from the server; undefined while it loads. */
function useTokens() {
  const [tokens, setTokens] = useState<readonly Token[]>()
  const [maxDays, setMaxDays] = useState<number | null>(null)
  const [error, setError] = useState('')
  const load = () => {
    setError('')
    tokensApi.list().then(
      (list) => {
        setTokens(list.tokens)
        setMaxDays(list.maxDays)
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  useEffect(load, [])
  return { tokens, maxDays, error, load }
}

function Tokens() {
  const { tokens, maxDays, error, load } = useTokens()
  const [isFormOpen, setFormOpen] = useState(false)
  const [created, setCreated] = useState<MadeToken>()
  if (!tokens && !error) return <div role="status" aria-label="Loading your tokens" className="skeleton mt-4 h-32" />
  const handleCreated = (token: MadeToken) => {
    setCreated(token)
    setFormOpen(false)
    load()
  }
  return (
    <div className="-mx-5 mt-4 min-h-0 overflow-y-auto border-y border-line px-5">
      {error && <LoadError text={error} onRetry={load} />}
      {created && <NewTokenNotice token={created} />}
      {isFormOpen ? (
        <TokenForm maxDays={maxDays} onCreated={handleCreated} onCancel={() => setFormOpen(false)} />
      ) : (
        <button type="button" className="btn-primary my-4" onClick={() => setFormOpen(true)}>
          New token
        </button>
      )}
      {tokens?.length === 0 && !isFormOpen && !created && <p className="pb-4 text-[14px] text-fg2">You have no tokens yet.</p>}
      <ul>
        {tokens?.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            onReplaced={handleCreated}
            onRevoked={() => {
              if (created?.id === token.id) setCreated(undefined)
              load()
            }}
          />
        ))}
      </ul>
    </div>
  )
}

function LoadError({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <div role="alert" className="alert-bad my-4">
      <p className="min-w-0 flex-1">{text}</p>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
