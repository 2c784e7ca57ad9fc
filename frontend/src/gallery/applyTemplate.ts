// Uses a template: makes the artifact and opens it beside its conversation, or puts the prompt into the message box.
import type { ArtifactDetail, TemplateDetail } from '../api/generated'
import { openPanel } from '../artifacts/store'
import { findSession, draftSession, sessionOf } from '../chat/session/sessions'
import { goHome, goToConversation } from '../navigation/router'
import { focusMessageBox } from '../navigation/shortcuts'
import { galleryApi } from './galleryApi'
import type { Values } from './placeholders'
import { target } from './store'

/** `conversation` null: a new one. Rejects with an ApiError. */
export async function applyTemplate({ id, kind }: TemplateDetail, values: Values | null, conversation: string | null): Promise<void> {
  if (kind === 'prompt') insertPrompt((await galleryApi.fill(id, values)).text, conversation)
  else showArtifact(await galleryApi.use(id, values, conversation))
  target.set(null)
}

function insertPrompt(text: string, conversation: string | null): void {
  const session = conversation ? sessionOf(conversation) : draftSession()
  session.state.patch({ returnedText: text.trimEnd() })
  if (conversation) goToConversation(conversation)
  else goHome()
  setTimeout(focusMessageBox) // after the message box is there
}

function showArtifact({ id, title, kind, conversationId, latestVersion: version }: ArtifactDetail): void {
  findSession(conversationId)?.receiveArtifact({ id, title, kind, version, status: 'ready', operation: 'create', callId: '' })
  goToConversation(conversationId)
  openPanel(conversationId, id)
}
