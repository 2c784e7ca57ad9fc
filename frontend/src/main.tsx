import './app/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { startNonce } from './browser/nonce'
import { startNotify } from './notifications/socket'
import { startSteadyPresses } from './browser/pointerCapture'
import { startTheme } from './ui/theme'

startNonce()
startTheme()
startNotify()
startSteadyPresses()
createRoot(document.getElementById('root')!).render(<App />)
