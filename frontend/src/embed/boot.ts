// The data that the server puts into the frame's page. The chat's own modules read what they need of it as `boot`.
import { boot } from '../api/boot'
import type { EmbedBoot } from '../api/generated'

export const frameBoot = boot as unknown as EmbedBoot
