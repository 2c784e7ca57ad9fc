// The data that the server puts into the page (docs/protocol.md, "Pages").

export type Organization = { readonly slug: string; readonly name: string }
export type Role = 'owner' | 'admin' | 'member' | 'viewer'
export type ModelChoice = {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly providerLabel: string
  readonly supportsThinking: boolean
  readonly isDefault: boolean
}
export type Boot = {
  readonly organization: Organization
  readonly organizations: readonly Organization[]
  readonly user: { readonly name: string; readonly email: string }
  readonly role: Role
  readonly csrfToken: string
  readonly api: string
  readonly socketUrl: string
  readonly notifyUrl: string
  readonly adminUrl: string | null
  readonly logoutUrl: string
  /** Null while the configuration of the organization is incomplete. */
  readonly provider: { readonly name: string; readonly label: string; readonly isDemo: boolean } | null
  readonly models: readonly ModelChoice[]
  readonly welcome: { readonly title: string; readonly prompts: readonly { readonly title: string; readonly text: string }[] }
  /** Limits for the files of a message. */
  readonly files: { readonly maxFiles: number; readonly maxBytes: number; readonly maxMessageBytes: number }
  /** Whether files of the user's repositories can be attached. */
  readonly usesGithub: boolean
  readonly conversationId: string | null
}

export const boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Boot

export const canWrite = boot.role !== 'viewer'
