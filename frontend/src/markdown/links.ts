// A second slash or backslash would leave this host.
const SAFE_LINK = /^(https?:|mailto:|\/(?![/\\])|#)/i
const OWN_PICTURE = /^(blob:|data:image\/(png|jpe?g|gif|webp);)/i

/** Whether a link of a model's text may be a link at all: no `javascript:`, no other scheme. */
export const isSafeLink = (href: string): boolean => SAFE_LINK.test(href.trim())

/**
 * Whether a picture may load: only one that needs no request. A foreign address would tell its owner who reads this, and an own one would
 * let a model's text call any page as the reader. Everything else becomes a link.
 */
export const isOwnImage = (source: string): boolean => OWN_PICTURE.test(source)

const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' }

/** The entities that Markdown writers use, as characters. Anything else stays as typed. */
export const withoutEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => NAMED_ENTITIES[name] ?? '') : text
