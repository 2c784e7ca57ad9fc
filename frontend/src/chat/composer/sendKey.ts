import { readStored, writeStored } from '../../browser/storage'
import { noteSaved } from '../../ui/savedNote'
import { createStore, useStore } from '../../ui/store'

/** With which key a message is sent. The other one starts a new line. */
export type SendKey = 'enter' | 'ctrl-enter'

const key = createStore<SendKey>(readStored('send-with') === 'ctrl-enter' ? 'ctrl-enter' : 'enter')

export function chooseSendKey(next: SendKey): void {
  key.set(next)
  writeStored('send-with', next === 'enter' ? null : next)
  noteSaved()
}

export const useSendKey = (): SendKey => useStore(key)
