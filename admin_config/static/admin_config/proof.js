// Asks who is there before a form with a key, a token or a deletion is sent, so that nothing typed is lost (admin_config/admin/sites/proof.py).
(() => {
  const place = /^\/o\/[^/]+\//.exec(location.pathname)
  if (!place) return
  const url = `${place[0]}api/proof/`
  const confirmed = new WeakSet()

  const isDangerous = (form) => 'proof' in form.dataset || [...form.querySelectorAll('input[type=password]')].some((input) => input.value !== '')

  const make = (tag, className, text = '') => Object.assign(document.createElement(tag), { className, textContent: text })

  const state = () => fetch(url, { headers: { accept: 'application/json' } }).then((answer) => (answer.ok ? answer.json() : null), () => null)

  async function give(form, proof) {
    const headers = { accept: 'application/json', 'content-type': 'application/json', 'X-CSRFToken': form.querySelector('[name=csrfmiddlewaretoken]').value }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(proof) }).catch(() => null)
    if (answer?.ok) return ''
    const body = await answer?.json().catch(() => null)
    return body?.error?.message ?? word("The server cannot be reached. Check your connection and try again.")
  }

  /** Resolves to whether the person confirmed that it's them. */
  function ask(form, proof) {
    return new Promise((resolve) => {
      const dialog = make('dialog', 'parley-dialog')
      dialog.setAttribute('aria-labelledby', 'proof-title')
      const inner = Object.assign(make('form', 'parley-stack'), { method: 'dialog', noValidate: true })
      const title = Object.assign(make('h2', 'font-semibold text-important text-base', word("Confirm it's you")), { id: 'proof-title' })
      const field = make('div', 'parley-field')
      const byCode = !proof.password && proof.code
      const label = Object.assign(make('label', '', byCode ? word("Code from your app, or a recovery code") : word("Password")), { htmlFor: 'proof-input' })
      const input = Object.assign(make('input', 'parley-secret'), {
        id: 'proof-input',
        type: byCode ? 'text' : 'password',
        autocomplete: byCode ? 'one-time-code' : 'current-password',
        maxLength: 1024,
      })
      const problem = make('p', 'parley-error')
      problem.setAttribute('role', 'alert')
      problem.hidden = true
      const other = Object.assign(make('a', 'parley-link', word("Confirm in another way (opens a tab)")), {
        href: '/accounts/reauthenticate/?next=/accounts/',
        target: '_blank',
        rel: 'noreferrer',
      })
      const buttons = make('div', 'parley-form')
      const go = Object.assign(make('button', 'parley-button', word("Continue")), { type: 'submit' })
      const cancel = Object.assign(make('button', 'parley-button parley-button-plain', word("Cancel")), { type: 'button' })
      field.append(label, input)
      buttons.append(go, cancel)
      inner.append(title, make('p', '', word("You are about to do something important.")), field, problem, other, buttons)
      if (!proof.password && !proof.code) field.hidden = go.hidden = true
      dialog.append(inner)
      document.body.append(dialog)

      const settle = (given) => {
        window.removeEventListener('focus', look)
        dialog.remove()
        resolve(given)
      }
      const look = async () => {
        if ((await state())?.isRecent) settle(true)
      }
      window.addEventListener('focus', look) // confirmed in the other tab
      dialog.addEventListener('cancel', () => settle(false))
      cancel.addEventListener('click', () => settle(false))
      inner.addEventListener('submit', async (event) => {
        event.preventDefault()
        go.disabled = true
        problem.textContent = await give(form, byCode ? { code: input.value } : { password: input.value })
        problem.hidden = !problem.textContent
        go.disabled = false
        if (problem.textContent) input.select()
        else settle(true)
      })
      dialog.showModal()
      input.focus()
    })
  }

  document.addEventListener('submit', async (event) => {
    const { target: form, submitter } = event
    if (form.method !== 'post' || confirmed.has(form) || event.defaultPrevented || !isDangerous(form)) return
    event.preventDefault()
    const proof = await state()
    if (proof && !proof.isRecent && !(await ask(form, proof))) return
    confirmed.add(form) // where nothing is known the server decides
    form.requestSubmit(submitter)
    confirmed.delete(form)
  })
})()
