import { boot } from '../../api/boot'
import type { ModelChoice } from '../../api/generated'
import { readStored, writeStored } from '../../browser/storage'
import { noteSaved } from '../../ui/savedNote'
import { createStore, useStore } from '../../ui/store'

/** What the user chose last, and with what new chats begin instead, if they said so in the settings. */
export type Preferences = { readonly modelId: string | null; readonly defaultModelId: string | null; readonly thinking: boolean }

const MODEL_KEY = `model:${boot.organization.slug}`
const DEFAULT_KEY = `default-model:${boot.organization.slug}`
const preferences = createStore<Preferences>({ modelId: readStored(MODEL_KEY), defaultModelId: readStored(DEFAULT_KEY), thinking: readStored('thinking') === 'on' })

export const usePreferences = (): Preferences => useStore(preferences)

export function preferModel(modelId: string): void {
  writeStored(MODEL_KEY, modelId)
  preferences.patch({ modelId })
}

/** Null: new chats begin with the model used last. */
export function preferDefaultModel(defaultModelId: string | null): void {
  writeStored(DEFAULT_KEY, defaultModelId)
  preferences.patch({ defaultModelId })
  noteSaved()
}

export function preferThinking(thinking: boolean): void {
  writeStored('thinking', thinking ? 'on' : null)
  preferences.patch({ thinking })
  noteSaved()
}

/** The first of `preferredIds` that still exists; otherwise the default model, or any. */
export function pickModel(models: readonly ModelChoice[], preferredIds: readonly (string | null)[]): ModelChoice | undefined {
  for (const id of preferredIds) {
    const model = models.find((candidate) => candidate.id === id)
    if (model) return model
  }
  return models.find((model) => model.isDefault) ?? models[0]
}
