import './app/styles.css'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { claimFreshDraft } from './browser/freshDraft'
import { startNonce } from './browser/nonce'
import { startLanguage } from './language/language'
import { startNotifications } from './notifications/socket'
import { startPressCapture } from './browser/pressCapture'
import { startAccent } from './ui/accent'
import { startTextSize } from './ui/textSize'
import { startTheme } from './ui/theme'

startNonce()
startTheme()
startTextSize()
startAccent()
startNotifications()
startPressCapture()
void claimFreshDraft()
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <I18nProvider i18n={i18n}>
      <App />
    </I18nProvider>,
  ),
)
