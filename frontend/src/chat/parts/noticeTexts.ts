// Notices are stored with an English sentence and read by many, so other languages word them by their code.
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Notice } from '../../api/messageTypes'

const TEXTS: Record<string, MessageDescriptor> = {
  access_ended: msg`Stopped, because the access of the person who asked has ended. What was written so far is kept.`,
  answer_cut: msg`The answer was cut off.`,
  arguments_repaired: msg`Arguments that did not fit their tool were corrected.`,
  budget: msg`This answer reached its limit. What was written so far is kept.`,
  budget_used_up: msg`A budget is used up. Ask an admin.`,
  content_blocked: msg`The provider’s safety filter blocked this message.`,
  content_filter: msg`The provider’s safety filter ended the answer.`,
  context_guard: msg`The conversation has outgrown the model’s context: the model no longer sees its oldest turns.`,
  context_too_long: msg`This is too long for the model. Send a shorter message, attach less, or choose a model with a larger context.`,
  empty_answer: msg`The model returned an empty answer.`,
  ended_early: msg`The provider ended the answer early, without saying why.`,
  fallback: msg`The chosen model could not answer, so another one did.`,
  file_not_kept: msg`A file of this answer could not be kept.`,
  gave_up: msg`The answer could not be finished after several attempts. What was written so far is kept; please try again.`,
  github_failed: msg`GitHub could not be used for this answer.`,
  internal_error: msg`Something went wrong on our side. Nothing you wrote is lost; please try again.`,
  key_missing: msg`There is no usable API key for this model.`,
  key_rejected: msg`The provider did not accept the API key, or does not allow this with it.`,
  length_limit: msg`The answer reached its maximum length.`,
  loop: msg`The agent kept repeating the same call, so the answer was stopped.`,
  no_tool_call: msg`The agent did not mark its answer as final; what it wrote last is kept.`,
  provider_busy: msg`The provider is busy or its rate limit is reached.`,
  provider_error: msg`The provider gave no answer.`,
  provider_tools_off: msg`Some of the provider’s tools are off in this answer.`,
  provider_unavailable: msg`The provider could not be reached, or did not answer in time.`,
  quota_spent: msg`The quota or credit behind the API key is used up. An admin can raise it at the provider.`,
  request_refused: msg`The provider refused the request.`,
  run_failed: msg`This chat can’t answer right now. Please try again later.`,
  step_limit: msg`Step limit reached. Continue?`,
  stopped: msg`Stopped. What was written so far is kept.`,
  sub_agent_skipped: msg`An agent wasn’t available for this answer.`,
  time_limit: msg`The answer took too long and was stopped. What was written is kept.`,
  tool_name_clash: msg`Two tools have the same name. The second one is left out.`,
  tool_name_reserved: msg`A tool has the name of one of Parley’s own and is left out.`,
  tool_source_skipped: msg`Some tools weren’t available for this answer.`,
  tools_changed: msg`Tools were changed by their server. An admin has to look at them before they are used again.`,
}
/** The sentence names a provider, a tool, a time or the provider's own words, which the text by code leaves out. */
const SAYS_MORE = new Set([
  'access_ended', 'arguments_repaired', 'budget_used_up', 'fallback', 'file_not_kept', 'github_failed', 'key_missing', 'provider_busy', 'provider_tools_off', 'provider_unavailable', 'quota_spent',
  'request_refused', 'sub_agent_skipped', 'time_limit', 'tool_name_clash', 'tool_name_reserved',
  'tool_source_skipped', 'tools_changed',
])

/** What stands behind a line of these is a text that the model got. */
function wordsForDetails(code: string): MessageDescriptor {
  if (code === 'compacted_history') return msg`Older messages were shortened for the model.`
  if (code === 'told_page_state') return msg`Context: the page around the chat.`
  if (code.startsWith('told_')) return msg`Context: the documents of this chat.`
  return msg`The assistant got a hint and tried again.`
}

/** The notice in the reader's language. `details`: what stands behind it, or the stored sentence where it says more. */
export function noticeText({ code, text, details = '' }: Notice): { text: string; details: string } {
  const message = details ? wordsForDetails(code) : TEXTS[code]
  if (i18n.locale === 'en' || !message) return { text, details }
  return { text: i18n._(message), details: details || (SAYS_MORE.has(code) ? text : '') }
}
