// The chat in the frame that <parley-chat> opens on other people's pages (docs/embedding.md). Who may show it: embed/api/page.py.
import '../app/styles.css'
import { createRoot } from 'react-dom/client'
import { showCutTexts } from '../browser/cutTexts'
import { startNonce } from '../browser/nonce'
import { showLanguage } from '../language/language'
import { LanguageProvider } from '../language/LanguageProvider'
import { followBrowserNetwork } from '../notifications/connectivity'
import { setSandboxPath } from '../sandbox/openFrame'
import { startAccess } from './access'
import { frameBoot } from './boot'
import { EmbedApp } from './EmbedApp'
import { startAppearance } from './frameAppearance'
import { startPageState } from './pageState'
import { startPageTools } from './pageTools'
import { connect } from './port'

startNonce()
setSandboxPath(frameBoot.sandboxUrl)
startPageState()
startPageTools()
showCutTexts()
followBrowserNetwork()
const config = await connect()
startAccess(config.signs)
startAppearance(config)
await showLanguage(config.lang || frameBoot.language).catch(() => showLanguage('en'))
createRoot(document.getElementById('root')!).render(
  <LanguageProvider>
    <EmbedApp first={config} />
  </LanguageProvider>,
)
