// Shows passwords on request, and says what went wrong with a passkey.
for (const button of document.querySelectorAll('[data-shows]')) {
  const input = document.getElementById(button.dataset.shows)
  button.hidden = false
  button.addEventListener('click', () => {
    const shown = input.type === 'text'
    input.type = shown ? 'password' : 'text'
    button.textContent = shown ? 'Show' : 'Hide'
    button.setAttribute('aria-pressed', String(!shown))
    input.focus()
  })
}

document.addEventListener('allauth.error', (event) => {
  event.preventDefault()
  const place = document.getElementById('passkey-error')
  if (!place) return
  const known = event.detail?.exception?.name === 'InvalidStateError'
  place.textContent = known ? 'This device has a passkey for your account already.' : 'The passkey was not used. Try again, or choose another way.'
  place.hidden = false
})
