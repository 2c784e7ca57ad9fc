import { request } from '../api/client'
import type { GivenProof, Proof } from '../api/generated'

export const proofApi = {
  get: () => request<Proof>('GET', 'proof/'),
  give: (proof: GivenProof) => request<null>('POST', 'proof/', proof),
}
