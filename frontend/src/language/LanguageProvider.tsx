import type { ReactNode } from 'react'
import { i18n } from '@lingui/core'
import { I18nProvider, useLingui } from '@lingui/react'
import { Direction } from 'radix-ui'
import { directionOf } from './language'

/** Gives the language to the texts below it, and its direction to the menus. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  return (
    <I18nProvider i18n={i18n}>
      <TextDirection>{children}</TextDirection>
    </I18nProvider>
  )
}

function TextDirection({ children }: { children: ReactNode }) {
  const { i18n: current } = useLingui()
  return <Direction.Provider dir={directionOf(current.locale)}>{children}</Direction.Provider>
}
