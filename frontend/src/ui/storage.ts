// Small conveniences survive a reload here. Never anything secret; a browser that refuses storage only loses the convenience.

const PREFIX = 'parley-'

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key)
  } catch {
    return null
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value) localStorage.setItem(PREFIX + key, value)
    else localStorage.removeItem(PREFIX + key)
  } catch {
    // Storage is full or switched off.
  }
}

/** Forget every stored key that starts with `start`. */
export function forgetStored(start: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX + start)) localStorage.removeItem(key)
  } catch {
    // Storage is switched off: nothing to forget.
  }
}
