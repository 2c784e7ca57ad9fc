// The user's own API keys for providers.
import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import type { ProviderKeys } from '../api/generated'
import { keysApi } from './keysApi'
import { ProviderKey } from './ProviderKey'

/** The user's own API keys, one row for each provider. A stored key is never sent back to the browser. */
export function KeysSection() {
  return (
    <>
      <p className="text-[14px] text-fg2"><Trans>Your own API keys. Used only for your chats in {boot.organization.name}, instead of the organization’s.</Trans></p>
      <Keys />
    </>
  )
}

/** The list from the server; undefined while it loads. */
function useKeys() {
  const [list, setList] = useState<ProviderKeys>()
  const [error, setError] = useState('')
  const load = () => {
    setError('')
    keysApi.list().then(setList, (problem: unknown) => setError(errorMessage(problem)))
  }
  useEffect(load, [])
  return { list, error, load }
}

function Keys() {
  const { list, error, load } = useKeys()
  if (!list && !error) return <div role="status" aria-label={t`Loading your keys`} className="skeleton mt-4 h-32" />
  return (
    <div className="mt-2">
      {error && <LoadError text={error} onRetry={load} />}
      {list && !list.allowed && <NotAllowed />}
      {list?.keys.length === 0 && <p className="py-4 text-[14px] text-fg2"><Trans>No provider of this organization takes keys.</Trans></p>}
      {list?.keys.map((item) => <ProviderKey key={item.provider} item={item} allowed={list.allowed} onChange={load} />)}
    </div>
  )
}

function LoadError({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <div role="alert" className="alert-bad my-4">
      <p className="min-w-0 flex-1">{text}</p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}

function NotAllowed() {
  return (
    <p className="mt-4 rounded-xl bg-warn-soft px-3 py-2.5 text-[13.5px] text-warn">
      <Trans>{boot.organization.name} doesn’t allow members to use their own keys.</Trans>{' '}
      {boot.adminUrl ? (
        <a className="font-medium underline underline-offset-2" href={`${boot.adminUrl}admin_config/appsettings/`}>
          <Trans>Change it in the settings</Trans>
        </a>
      ) : (
        t`An owner or admin can allow it.`
      )}
    </p>
  )
}
