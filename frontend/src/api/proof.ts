// Dangerous acts need a proof of the last 15 minutes. The client asks for one here; the dialog that asks the person is in proof/.
import { createStore } from '../ui/store'

/** The server's code for a request that needs one. */
export const PROOF_NEEDED = 'proof_needed'

/** Who waits for the answer; null: nobody. One dialog answers all requests that wait. */
export const waitingForProof = createStore<((isProven: boolean) => void) | null>(null)

let pendingProof: Promise<boolean> | null = null

/** Resolves to whether the person confirmed that it's them. */
export function askForProof(): Promise<boolean> {
  pendingProof ??= new Promise<boolean>((resolve) => waitingForProof.set(resolve)).finally(() => {
    pendingProof = null
    waitingForProof.set(null)
  })
  return pendingProof
}
