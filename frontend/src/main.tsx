import './app/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { showCutTexts } from './browser/cutTexts'
import { claimFreshDraft } from './browser/freshDraft'
import { startNonce } from './browser/nonce'
import { startLanguage } from './language/language'
import { LanguageProvider } from './language/LanguageProvider'
import { startNotifications } from './notifications/socket'
import { startCodeLigatures } from './preferences/choices'
import { startPressCapture } from './browser/pressCapture'
import { startAccent } from './ui/accent'
import { startTextSize } from './ui/textSize'
import { startTheme } from './ui/theme'
import { boot } from './api/boot'
import { showCostsIn } from './usage/money'

startNonce()
startTheme()
startTextSize()
startCodeLigatures()
startAccent()
showCostsIn(boot.currency)
startNotifications()
startPressCapture()
showCutTexts()
void claimFreshDraft()
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <LanguageProvider>
      <App />
    </LanguageProvider>,
  ),
)
