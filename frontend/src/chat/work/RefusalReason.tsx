import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { DynamicToolUIPart } from 'ai'
import type { ShownState } from './StateIcon'

/** Reasons that the server gives, in the words that the model reads (chat/runs/run_inputs.py, agents/engine/open_calls.py). */
const REASONS_OF_THE_SERVER: Record<string, MessageDescriptor> = {
  'Nobody decided in time.': msg`Nobody decided in time.`,
  'A message was written instead.': msg`A message was written instead.`,
}

/** Says why a call was not allowed; nothing where nobody gave a reason. */
export function RefusalReason({ call, state, className }: { call: DynamicToolUIPart; state: ShownState; className: string }) {
  const { t } = useLingui()
  const reason = call.approval?.reason
  if (state !== 'denied' || !reason) return null
  const ofServer = REASONS_OF_THE_SERVER[reason]
  return <p className={`text-[13px] text-fg2 [overflow-wrap:anywhere] ${className}`}>{ofServer ? t(ofServer) : <Trans>Reason: {reason}</Trans>}</p>
}
