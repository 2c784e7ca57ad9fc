import { request } from '../api/client'
import type { CreatedOrganization, UnreadOrganizations } from '../api/generated'

export const organizationsApi = {
  unread: () => request<UnreadOrganizations>('GET', 'organizations/unread/'),
  create: (name: string) => request<CreatedOrganization>('POST', 'organizations/', { name }),
  leave: () => request<null>('DELETE', 'membership/'),
}
