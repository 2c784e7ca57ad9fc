import { ApiError, errorMessage } from '../../api/client'
import { conversationsApi } from '../../api/conversationsApi'
import { showToast } from '../../ui/toasts'
import type { AnswerStream } from './answerStream'
import type { SessionContext } from './sessionContext'
import type { ConversationLoader } from './conversationLoader'

/** What the user asks of the server about the newest answer: stop it, or decide about a tool call that it waits for. */
export class AnswerControls {
  constructor(
    private readonly context: SessionContext,
    private readonly stream: AnswerStream,
    private readonly loader: ConversationLoader,
  ) {}

  /** Ask the server to stop. What was written so far stays, and the stream ends by itself. */
  async stop(): Promise<void> {
    const { id, state } = this.context
    if (state.get().stopping) return
    state.patch({ stopping: true })
    try {
      const { stopping } = await conversationsApi.stop(id)
      if (!stopping || !this.stream.busy) await this.leaveAndReload()
    } catch (error) {
      state.patch({ stopping: false })
      showToast(errorMessage(error))
    }
  }

  /** Allow or refuse a tool call. Throws an ApiError; a call that was decided elsewhere is no error. */
  async decide(approvalId: string, approved: boolean, reason: string, lasts = false): Promise<void> {
    const decision = { approved, ...(reason && { reason }) }
    try {
      const { resumed } = await conversationsApi.decide(this.context.id, approvalId, { ...decision, ...(lasts && { lasts }) })
      this.loader.invalidateReads()
      await this.context.chat.addToolApprovalResponse({ id: approvalId, ...decision })
      void this.loader.catchUp(resumed)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_decided')) throw error
      showToast(errorMessage(error))
      if (!this.stream.busy) await this.loader.reload()
    }
  }

  /** The run is over already, or no stream of it is open here: nothing else would tell the page that it ended. */
  private async leaveAndReload(): Promise<void> {
    await this.context.chat.stop()
    this.context.state.patch({ stopping: false, connection: 'steady' })
    await this.loader.reload()
  }
}
