import { request } from '../api/client'
import type { MadeOrganization, UnreadOrganizations } from '../api/generated'

export const organizationsApi = {
  unread: () => request<UnreadOrganizations>('GET', 'organizations/unread/'),
  create: (name: string) => request<MadeOrganization>('POST', 'organizations/', { name }),
  leave: () => request<null>('DELETE', 'membership/'),
}
