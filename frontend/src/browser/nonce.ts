import { setNonce } from 'get-nonce'

/** The page allows only styles with its nonce. Browsers hide the attribute from scripts, but not the property. */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** Open menus and dialogs of Radix stop the page from scrolling with a style element, which needs the nonce. */
export const startNonce = (): void => setNonce(cspNonce)
