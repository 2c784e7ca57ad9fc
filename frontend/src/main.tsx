import './app/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { claimFreshDraft } from './browser/freshDraft'
import { startNonce } from './browser/nonce'
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
createRoot(document.getElementById('root')!).render(<App />)
