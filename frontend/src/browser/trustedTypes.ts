// The page enforces Trusted Types. The only policy allows the URLs of workers from our own build.

type ScriptUrlPolicy = { createScriptURL(url: string): string }
type TrustedTypesFactory = { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy }

function ownUrl(url: string): string {
  if (new URL(url, location.href).origin !== location.origin) throw new TypeError('Only scripts of this site may run.')
  return url
}

const factory = (globalThis as { trustedTypes?: TrustedTypesFactory }).trustedTypes
const policy: ScriptUrlPolicy = factory?.createPolicy('app', { createScriptURL: ownUrl }) ?? { createScriptURL: ownUrl }

export const trustedWorkerUrl = (url: string): string => policy.createScriptURL(url)
