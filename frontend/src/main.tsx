import './app/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { startNonce } from './app/nonce'
import { startNotify } from './app/notify'
import { startSteadyPresses } from './ui/steadyPress'
import { startTheme } from './ui/theme'

startNonce()
startTheme()
startNotify()
startSteadyPresses()
createRoot(document.getElementById('root')!).render(<App />)
