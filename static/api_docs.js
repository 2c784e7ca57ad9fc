'use strict'
// The page of the API: Swagger UI over our own schema; calls from a browser's session carry its CSRF token.
const settings = JSON.parse(document.getElementById('api-settings').textContent)

const withToken = (request) => {
  if (settings.csrfToken && !['GET', 'HEAD'].includes(request.method ?? 'GET')) request.headers['X-CSRFToken'] = settings.csrfToken
  return request
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

window.SwaggerUIBundle({
  url: settings.schema,
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  requestInterceptor: withToken,
})
