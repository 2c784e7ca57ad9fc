import { setNonce } from 'get-nonce'

/** The page allows only styles that carry its nonce. Browsers hide the attribute from scripts, not the property. */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** The open menus and dialogs of Radix lock the page's scrolling with a style element; this gives it the nonce. */
export const startNonce = (): void => setNonce(cspNonce)
