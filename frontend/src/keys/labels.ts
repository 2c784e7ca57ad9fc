import { t } from '@lingui/core/macro'
import type { ProviderKey } from '../api/generated'

/** Where a key is sent: only the host for https, otherwise the whole origin. */
export function displayHost(origin: string): string {
  const url = new URL(origin)
  return url.protocol === 'https:' ? url.host : url.origin
}

/** The state of a provider's key in one sentence. */
export function keyStatus({ key, source }: Pick<ProviderKey, 'key' | 'source'>, allowed: boolean): string {
  if (key?.stale) return t`Your key was entered for another address and is not used. Enter it again.`
  if (key) return ownKeyStatus(describeKey(key.lastFour), allowed, key.sessionOnly)
  if (source === 'organization') return t`Your organization’s key is used.`
  if (source === 'platform') return t`The platform’s key is used.`
  return t`Not set`
}

function ownKeyStatus(key: string, allowed: boolean, sessionOnly: boolean): string {
  if (!allowed) return t`${key} is not used: your organization does not allow it now.`
  return sessionOnly ? t`${key} is used, until you sign out.` : t`${key} is used.`
}

const describeKey = (lastFour: string): string => (lastFour ? t`Your key that ends in ${lastFour}` : t`Your key`)
