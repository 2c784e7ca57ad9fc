import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

/** The HTML of components as the page shows them, with its language around them. */
export const markup = (node: ReactNode): string => renderToStaticMarkup(<I18nProvider i18n={i18n}>{node}</I18nProvider>)
