// What the browser provides, in the form in which the page uses it. Modules here know nothing of chats or documents.
// This module: values that survive a reload. Nothing secret is stored, and nothing depends on it, because a browser may refuse storage.

const PREFIX = 'parley-'

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key)
  } catch {
    return null
  }
}

/** Returns whether the browser took it. */
export function writeStored(key: string, value: string | null): boolean {
  try {
    if (value) localStorage.setItem(PREFIX + key, value)
    else localStorage.removeItem(PREFIX + key)
    return true
  } catch {
    return false // storage is full or switched off
  }
}

/** Every stored key that starts with `start`. */
export function storedKeys(start: string): readonly string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX + start) ? key.slice(PREFIX.length) : []))
  } catch {
    return [] // storage is switched off
  }
}

export const forgetStored = (start: string): void => storedKeys(start).forEach((key) => writeStored(key, null))
