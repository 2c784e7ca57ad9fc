import { msg } from '@lingui/core/macro'
import { readStored, writeStored } from '../browser/storage'
import { noteSaved } from './savedNote'
import { createStore, useStore } from './store'

/** Sizes of messages and documents. styles/tokens.css says what each is; the first script of the page sets the stored one. */
export const TEXT_SIZES = [
  { value: 'small', label: msg`Small` },
  { value: 'normal', label: msg`Normal` },
  { value: 'large', label: msg`Large` },
  { value: 'larger', label: msg`Larger` },
  { value: 'largest', label: msg`Largest` },
] as const
export type TextSize = (typeof TEXT_SIZES)[number]['value']

const size = createStore<TextSize>('normal')

function paint(): void {
  document.documentElement.dataset.text = size.get()
}

export function startTextSize(): void {
  const choice = readStored('text')
  size.set(TEXT_SIZES.find(({ value }) => value === choice)?.value ?? 'normal')
  paint()
}

export function chooseTextSize(next: TextSize): void {
  size.set(next)
  writeStored('text', next === 'normal' ? null : next)
  paint()
  noteSaved()
}

export const useTextSize = (): TextSize => useStore(size)
