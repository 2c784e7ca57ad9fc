// Shows passwords on request, copies and saves keys and codes, offers passkeys, and says what went wrong with one. The words are in the page, in its language.
for (const button of document.querySelectorAll('[data-shows]')) {
  const input = document.getElementById(button.dataset.shows)
  const { textContent: showWord } = button
  button.hidden = false
  button.addEventListener('click', () => {
    const shown = input.type === 'text'
    input.type = shown ? 'password' : 'text'
    button.textContent = shown ? showWord : button.dataset.hide
    button.setAttribute('aria-pressed', String(!shown))
    input.focus()
  })
}

/** Returns the lines of a list, or the text of another element. */
function textOf(id) {
  const place = document.getElementById(id)
  const lines = place.querySelectorAll('li')
  return Array.from(lines.length ? lines : [place], (line) => line.textContent.trim()).join('\n')
}

const SHOWN_MS = 2000
for (const button of document.querySelectorAll('[data-copies]')) {
  const { textContent: copyWord } = button
  button.hidden = !navigator.clipboard // which only safe pages have
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf(button.dataset.copies))
    button.textContent = button.dataset.done
    setTimeout(() => (button.textContent = copyWord), SHOWN_MS)
  })
}

for (const link of document.querySelectorAll('[data-saves]')) {
  link.hidden = false
  link.href = URL.createObjectURL(new Blob([`${textOf(link.dataset.saves)}\n`], { type: 'text/plain' }))
}

document.addEventListener('allauth.error', (event) => {
  event.preventDefault()
  const place = document.getElementById('passkey-error')
  if (!place) return
  const isKnown = event.detail?.exception?.name === 'InvalidStateError'
  place.textContent = isKnown ? place.dataset.known : place.dataset.unused
  place.hidden = false
})

const CHALLENGE_MS = 10 * 60 * 1000 // the server takes an answer for fifteen minutes (accounts/sign_in/passkeys.py)

/** Returns when the tab is in front. */
async function shown() {
  if (document.hidden) await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Returns when somebody may want to sign in: at the e-mail field, before the tab, or when the network is back. */
function nextOccasion(field) {
  return new Promise((resolve) => {
    const end = new AbortController()
    const occur = () => {
      end.abort()
      resolve()
    }
    for (const [target, event] of [[field, 'focus'], [document, 'visibilitychange'], [window, 'online']]) {
      target.addEventListener(event, occur, { signal: end.signal })
    }
  })
}

/** Returns the server's new challenge; undefined when it gives none, or the signal ends it. */
async function newChallenge(form, signal) {
  try {
    const answer = await fetch(form.action, { headers: { Accept: 'application/json' }, signal })
    return answer.ok ? (await answer.json()).request_options : undefined
  } catch {
    return undefined
  }
}

/** Offers the passkeys of one challenge, until one is chosen or the signal ends it. */
async function offerOnce(form, options, signal) {
  try {
    form.elements.credential.value = JSON.stringify(await window.webauthnJSON.get({ ...options, mediation: 'conditional', signal }))
    form.submit()
  } catch {
    // Nobody chose one there: the other ways stay.
  }
}

/** Offers passkeys among the stored addresses, where the browser can. A click on the button ends that and asks for one at once. */
async function offerPasskeys(form, field) {
  let isEnded = false
  let isOld = true
  let offer
  form.addEventListener('click', () => {
    isEnded = true
    offer?.abort()
  }, { capture: true })
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return
  while (isOld && !isEnded) {
    isOld = false
    await shown()
    offer = new AbortController()
    const timer = setTimeout(() => {
      isOld = true
      offer.abort()
    }, CHALLENGE_MS)
    const options = await newChallenge(form, offer.signal)
    if (options) await offerOnce(form, options, offer.signal)
    clearTimeout(timer)
    if (!options && !isOld && !isEnded) {
      await nextOccasion(field)
      isOld = true
    }
  }
}

const passkeyForm = document.getElementById('passkey_login')?.form
const passkeyField = document.querySelector('input[autocomplete~=webauthn]')
if (passkeyForm && passkeyField) offerPasskeys(passkeyForm, passkeyField)
