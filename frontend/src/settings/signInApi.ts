import { request } from '../api/client'
import type { SignInOverview } from '../api/generated'

export const signInApi = {
  get: () => request<SignInOverview>('GET', 'sign-in/'),
  signOut: (device: string) => request<null>('DELETE', `sign-in/devices/${device}/`),
  signOutElsewhere: () => request<null>('DELETE', 'sign-in/devices/'),
}
