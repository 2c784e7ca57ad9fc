// What the member chose in this organization, kept on the server. A change shows at once, in their other tabs, too.
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import type { Me, MeChange } from '../api/generated'
import { noteSaved } from '../ui/savedNote'
import { createStore, useStore } from '../ui/store'
import { showToast } from '../ui/toasts'
import { preferencesApi } from './preferencesApi'

export type Choices = Pick<Me, 'defaultAssistant' | 'commentMails' | 'showsCost' | 'codeLigatures'>

const choices = createStore<Choices>(boot)
let serverChoices: Choices = boot
let lastRequest = 0
let saving = 0
/** Whether something changed while a change of this page was on its way: what is read before the server has both would take one back. */
let missed = false

export const useChoices = (): Choices => useStore(choices)

/** Shows what the server has. Of several answers, the one that was asked for last counts. */
async function settle(answer: Promise<Me>): Promise<void> {
  const request = ++lastRequest
  try {
    serverChoices = await answer
  } finally {
    if (request === lastRequest) choices.set(serverChoices)
  }
}

/** Shows and stores a change. What the server does not keep is taken back, and a toast says why. */
export function choose(change: MeChange & Partial<Choices>): void {
  choices.patch(change)
  saving++
  settle(preferencesApi.save(change))
    .then(noteSaved)
    .catch((error: unknown) => showToast(errorMessage(error)))
    .finally(() => {
      if (--saving === 0 && missed) loadChoices()
    })
}

/** Reads what another tab or device changed. */
export function loadChoices(): void {
  missed = saving > 0
  if (missed) return
  settle(preferencesApi.get()).catch(() => undefined) // the next reconnection asks again
}

/** Draws code as the member chose, now and after each change. */
export function startCodeLigatures(): void {
  const paint = () => document.documentElement.toggleAttribute('data-ligatures', choices.get().codeLigatures)
  choices.subscribe(paint)
  paint()
}
