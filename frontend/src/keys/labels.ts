import type { ProviderKey } from '../api/generated'

/** Where a key is sent: only the host for https, otherwise the whole origin. */
export function displayHost(origin: string): string {
  const url = new URL(origin)
  return url.protocol === 'https:' ? url.host : url.origin
}

/** The state of a provider's key in one sentence. */
export function keyStatus({ key, source }: Pick<ProviderKey, 'key' | 'source'>, allowed: boolean): string {
  if (key?.stale) return 'Your key was entered for another address and is not used. Enter it again.'
  if (key && !allowed) return `${describeKey(key.lastFour)} is not used: your organization does not allow it now.`
  if (key) return `${describeKey(key.lastFour)} is used${key.sessionOnly ? ', until you sign out' : ''}.`
  if (source === 'organization') return 'Your organization’s key is used.'
  if (source === 'platform') return 'The platform’s key is used.'
  return 'Not set'
}

const describeKey = (lastFour: string): string => (lastFour ? `Your key that ends in ${lastFour}` : 'Your key')
