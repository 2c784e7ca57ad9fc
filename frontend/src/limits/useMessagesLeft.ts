// How many messages the member may still send, said when few are left.
import { useEffect, useState } from 'react'
import { request } from '../api/client'
import type { MessageLimitLeft, MessageLimits } from '../api/generated'
import { fewLeft } from './fewLeft'

const NONE: readonly MessageLimitLeft[] = []

/** Asks when the member begins to write, and returns what to say about the limits, or null. */
export function useMessagesLeft(isWriting: boolean): string | null {
  const [limits, setLimits] = useState(NONE)
  useEffect(() => {
    if (!isWriting) return
    let isCurrent = true
    request<MessageLimits>('GET', 'limits/')
      .then((found) => isCurrent && setLimits(found.limits))
      .catch(() => isCurrent && setLimits(NONE)) // the send itself says what stands in its way
    return () => {
      isCurrent = false
    }
  }, [isWriting])
  return isWriting ? fewLeft(limits) : null
}
