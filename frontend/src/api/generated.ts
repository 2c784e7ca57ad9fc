// Made from the server's shapes by `make types` (tools/browser_types.py). Changes here are lost.
import { msg } from '@lingui/core/macro'

export type Operation = 'create' | 'update' | 'fix' | 'revert' | 'edit' | 'patch' | 'merge'
export type AuthorKind = 'agent' | 'user'
export type Status = 'open' | 'accepted' | 'rejected' | 'stale'
export type Role = 'owner' | 'admin' | 'auditor' | 'member' | 'viewer' | 'visitor'
export type Reason = 'not_correct' | 'out_of_date' | 'not_followed' | 'too_long' | 'bad_sources' | 'other'
export type State = 'pending' | 'ready' | 'failed'
/**
 * What a template becomes. All but prompts are kinds of artifacts, under the same names.
 */
export type TemplateKind = 'text' | 'python' | 'mermaid' | 'sheet' | 'prompt'
export type TemplateState = 'private' | 'in_review' | 'published' | 'withdrawn'

export interface AccountDeletion {
  readonly email: string
}
/**
 * An agent. `model` is null when it uses the provider's default model.
 */
export interface AgentItem {
  readonly key: string
  readonly kind: string
  readonly provider: string
  readonly isEnabled: boolean
  readonly model: string | null
  readonly description: string
}
export interface AgentList {
  readonly items: readonly AgentItem[]
}
/**
 * What one answer used. `firstTokenMs`: after which its first word came. `durationMs`: without the time that it waited for somebody.
 */
export interface AnswerUsage {
  readonly answers: number
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly toolTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly costUsd: number | null
  readonly unpricedCalls: number
  readonly estimatedCalls: number
  readonly runId: string
  readonly firstTokenMs: number | null
  readonly durationMs: number | null
}
export interface ArtifactChange {
  readonly title: string
}
/**
 * What is said about a document through links that show it to you, oldest first. `shareId`: the link that your new comments belong to, if you may write any.
 */
export interface ArtifactComments {
  readonly shareId: string | null
  readonly items: readonly CommentItem[]
}
/**
 * A comment on a message, or on a version of a document. `author`: empty when they have left. `mayComment`, `mayEdit`, `mayDelete`: you.
 *
 * `resolvedBy`: empty when nobody did, or when they have left. `anchor`: the passage that it is about. `threadId`: of a reply, the comment that it answers.
 */
export interface CommentItem {
  readonly id: string
  readonly shareId: string
  readonly author: string
  readonly text: string
  readonly messageId: string | null
  readonly artifactId: string | null
  readonly version: number | null
  readonly anchor: CommentAnchor | null
  readonly threadId: string | null
  readonly createdAt: string
  readonly editedAt: string | null
  readonly resolvedAt: string | null
  readonly resolvedBy: string
  readonly mayComment: boolean
  readonly mayEdit: boolean
  readonly mayDelete: boolean
}
/**
 * A passage of a document as its reader sees it: its words, some before and behind them, and where it began, in UTF-16 code units.
 */
export interface CommentAnchor {
  readonly quote: string
  readonly prefix: string
  readonly suffix: string
  readonly start: number
}
/**
 * `content` is the latest version's. `versions` come oldest first. `suggestions`: the undecided ones. `conflict`: an agent changed the
 * same lines as you; `latest` has the agent's text, `yours` has yours. `isOwn`: false for one that another member lets you edit.
 */
export interface ArtifactDetail {
  readonly id: string
  readonly conversationId: string
  readonly title: string
  readonly kind: string
  readonly latestVersion: number
  readonly versions: readonly VersionItem[]
  readonly content: string
  readonly fileUrl: string | null
  readonly suggestions: readonly SuggestionItem[]
  readonly conflict: ConflictSides | null
  readonly isOwn: boolean
}
/**
 * `authorName`: the member's name, or those of all who wrote it together; empty for agents. `agent`: the agent's name; empty for members. `parent`: the number of the version
 * that it was made from. `changedLines`: null if it was not counted.
 */
export interface VersionItem {
  readonly number: number
  readonly createdAt: string
  readonly operation: Operation
  readonly isDraft: boolean
  readonly isAutosave: boolean
  readonly authorKind: AuthorKind
  readonly authorName: string
  readonly agent: string
  readonly runId: string | null
  readonly parent: number | null
  readonly changedLines: LinesChanged | null
}
/**
 * Compared with the version that it was made from.
 */
export interface LinesChanged {
  readonly added: number
  readonly removed: number
}
/**
 * `original` was between `prefix` and `suffix`, at `start` (UTF-16 code units) of `version`.
 */
export interface SuggestionItem {
  readonly id: string
  readonly artifactId: string
  readonly version: number
  readonly original: string
  readonly prefix: string
  readonly suffix: string
  readonly start: number
  readonly replacement: string
  readonly comment: string
  readonly status: Status
}
/**
 * Two texts that were made from `base` and changed the same lines: `latest` is the current version, `yours` must be merged with it.
 */
export interface ConflictSides {
  readonly base: VersionText
  readonly latest: VersionText
  readonly yours: string
  readonly merged: readonly MergeHunk[]
}
export interface VersionText {
  readonly number: number
  readonly content: string
}
/**
 * A part of the text. The texts of all hunks joined are the whole texts. `same`: all three texts are the merged one.
 */
export interface MergeHunk {
  readonly kind: 'same' | 'conflict'
  readonly base: string
  readonly theirs: string
  readonly yours: string
}
export interface ArtifactListItem {
  readonly id: string
  readonly conversationId: string
  readonly title: string
  readonly kind: string
  readonly latestVersion: number
  readonly createdAt: string
  readonly updatedAt: string
}
export interface ArtifactPage {
  readonly items: readonly ArtifactListItem[]
  readonly nextCursor: string | null
}
export interface ArtifactSummary {
  readonly id: string
  readonly conversationId: string
  readonly title: string
  readonly kind: string
  readonly latestVersion: number
}
/**
 * An assistant. `modelChoice`: whether its model is `fixed` (then `modelName` is its name) or the `member` chooses one.
 */
export interface AssistantItem {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly pictureUrl: string | null
  readonly starters: readonly Starter[]
  readonly modelChoice: 'fixed' | 'member'
  readonly modelName: string | null
  readonly supportsThinking: boolean
}
/**
 * A message to begin with. `text` is sent, `title` says what it is about.
 */
export interface Starter {
  readonly title: string
  readonly text: string
}
export interface AssistantList {
  readonly items: readonly AssistantItem[]
}
/**
 * What a batch did. `ids`: the conversations that were there.
 */
export interface BatchResult {
  readonly ids: readonly string[]
}
/**
 * What the page knows from the start. `language` is a BCP 47 tag, of the member's profile or else of their browser.
 *
 * `default_assistant`: the key of the one with which new chats begin, which may be gone; empty: the chat agent.
 */
export interface Boot {
  readonly provider: BootProvider | null
  readonly models: readonly ModelChoice[]
  readonly switches: readonly ChatSwitch[]
  readonly assistants: readonly AssistantItem[]
  readonly usesGithub: boolean
  readonly organization: BootOrganization
  readonly organizations: readonly BootOrganization[]
  readonly currency: BootCurrency
  readonly user: BootUser
  readonly role: Role
  readonly defaultAssistant: string
  readonly commentMails: boolean
  readonly showsCost: boolean
  readonly codeLigatures: boolean
  readonly language: string
  readonly csrfToken: string
  readonly api: string
  readonly socketUrl: string
  readonly notifyUrl: string
  readonly adminUrl: string | null
  readonly mayMakeOrganizations: boolean
  readonly logoutUrl: string
  readonly starters: readonly PageStarter[]
  readonly files: FileLimits
  readonly conversationId: string | null
}
export interface BootProvider {
  readonly name: string
  readonly label: string
  readonly isDemo: boolean
}
export interface ModelChoice {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly providerLabel: string
  readonly supportsThinking: boolean
  readonly isDefault: boolean
}
/**
 * What a member switches for each message. `isOn`: how it is at first. `isPlatforms`: ours, and not the organization's own.
 */
export interface ChatSwitch {
  readonly key: string
  readonly label: string
  readonly hint: string
  readonly isOn: boolean
  readonly isPlatforms: boolean
}
export interface BootOrganization {
  readonly slug: string
  readonly name: string
  readonly accentColor: string
  readonly logoUrl: string | null
}
/**
 * In what costs, limits and budgets are shown, with what a US dollar is worth in it today. The API has them in US dollars.
 */
export interface BootCurrency {
  readonly code: string
  readonly perUsd: number
}
export interface BootUser {
  readonly name: string
  readonly email: string
  readonly pictureUrl: string | null
}
/**
 * What a new chat offers. `text` is sent to the demo, whose answers are scripted in English; others get it in the reader's language.
 */
export interface PageStarter {
  readonly picture: 'document' | 'plot' | 'sequence' | 'sources'
  readonly text: string
}
/**
 * Limits for the files of a message.
 */
export interface FileLimits {
  readonly maxFiles: number
  readonly maxBytes: number
  readonly maxMessageBytes: number
}
/**
 * A message of the branch that is to be shown.
 */
export interface BranchChoice {
  readonly messageId: string
}
/**
 * A request to send a message or to regenerate an answer, as a socket frame or as the body of POST /api/chat.
 */
export interface ChatRequest {
  readonly id: string
  readonly trigger?: 'submit-message' | 'regenerate-message'
  readonly messageId?: string | null
  readonly messages?: readonly ClientMessage[]
  readonly modelId?: string | null
  readonly thinking?: boolean
  readonly switches?: {
    readonly [k: string]: boolean
  }
  readonly assistant?: string | null
  readonly pageState?: {
    readonly [k: string]: unknown
  } | null
  /**
   * @maxItems 50
   */
  readonly pageTools?: readonly string[]
  readonly projectId?: string | null
  readonly temporary?: boolean
}
/**
 * A UIMessage: the user's new message, or an answer that the client sends back with decisions or outputs.
 */
export interface ClientMessage {
  readonly id?: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts?: readonly MessagePart[]
}
/**
 * A part of a message: text, a file, or a tool call with its decision or output.
 */
export interface MessagePart {
  readonly type: string
  readonly text?: string
  readonly state?: unknown
  readonly approval?: unknown
  readonly toolCallId?: unknown
  readonly output?: unknown
  readonly errorText?: unknown
  readonly url?: string | null
  readonly filename?: string | null
}
/**
 * One of the two. `text`: of an own comment. `resolved`: of a comment that answers no other.
 */
export interface CommentChange {
  readonly resolved?: boolean | null
  readonly text?: string | null
}
/**
 * Oldest first.
 */
export interface CommentList {
  readonly items: readonly CommentItem[]
}
/**
 * Nothing was stored.
 */
export interface ConflictError {
  readonly error: ErrorDetail
  readonly base: VersionText
  readonly latest: VersionText
  readonly yours: string
  readonly merged: readonly MergeHunk[]
}
export interface ErrorDetail {
  readonly code: string
  readonly message: string
  readonly action?: string | null
  readonly agent?: string | null
}
/**
 * One act on several conversations. `restore` undoes `delete`. `projectId`: where to `move` them; null: out of any project.
 */
export interface ConversationBatch {
  /**
   * @minItems 1
   * @maxItems 100
   */
  readonly ids: readonly string[]
  readonly act: 'archive' | 'unarchive' | 'move' | 'delete' | 'restore'
  readonly projectId?: string | null
}
/**
 * What to change of a conversation. `projectId`: null takes it out of its project.
 */
export interface ConversationChange {
  readonly title?: string | null
  readonly modelId?: string | null
  /**
   * The key of the assistant that is to answer; empty: the chat agent.
   */
  readonly assistant?: string | null
  readonly pinned?: boolean | null
  readonly archived?: boolean | null
  readonly projectId?: string | null
}
/**
 * A conversation with the newest messages of the branch that is shown, oldest first.
 *
 * `hasMore`: there are older ones. `assistant`: the key of the assistant that was chosen in it; empty: the chat agent.
 * `expiresAt`: when a temporary conversation is deleted; null for all others.
 */
export interface ConversationDetail {
  readonly id: string
  readonly title: string
  readonly modelId: string | null
  readonly projectId: string | null
  readonly archived: boolean
  readonly expiresAt: string | null
  readonly assistant: string
  readonly activeRun: boolean
  readonly waiting: ('approval' | 'reply' | 'client') | null
  readonly messages: readonly MessageItem[]
  readonly artifacts: readonly ArtifactSummary[]
  readonly hasMore: boolean
}
/**
 * A UIMessage of the AI SDK: `parts` are text, reasoning, tools and data, as in its stream.
 */
export interface MessageItem {
  readonly id: string
  readonly role: 'user' | 'assistant'
  /**
   * createdAt; of an answer also runId, modelName, provider, usage, feedback and more. `siblings`: the ids of all messages at this place, oldest first, when there are several.
   */
  readonly metadata: {
    readonly [k: string]: unknown
  }
  readonly parts: {
    readonly [k: string]: unknown
  }[]
}
/**
 * A conversation in a list.
 *
 * `activeRun`: an answer is being written. `waiting`: what an answer waits for. `unread`: an answer has ended that you have not seen.
 * `headId`: the newest message of the branch that is shown. `archived`: put away until it gets a message. `projectId`: the project it is in.
 * `revision`: of two states of the same conversation, the one with the higher number is newer.
 */
export interface ConversationItem {
  readonly id: string
  readonly title: string
  readonly headId: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly unread: boolean
  readonly pinned: boolean
  readonly archived: boolean
  readonly projectId: string | null
  readonly revision: number
  readonly activeRun: boolean
  readonly waiting: ('approval' | 'reply' | 'client') | null
}
/**
 * A page of conversations: pinned ones first, then the newest activity.
 */
export interface ConversationPage {
  readonly items: readonly ConversationItem[]
  readonly nextCursor: string | null
}
/**
 * Who besides its owner may read a conversation.
 *
 * `policy`: whether admins and auditors may read members' chats: never, with the owner's consent, or always. `sharedUntil`: until when
 * the owner has consented.
 */
export interface ConversationReaders {
  readonly policy: 'never' | 'consent' | 'always'
  readonly sharedUntil: string | null
}
/**
 * What a conversation used in all, with its titles and suggestions, and what single answers used.
 */
export interface ConversationUsage {
  readonly total: UsageSums
  readonly answers: readonly AnswerUsage[]
}
/**
 * What model calls used in all. `answers`: those of chats that began with them and did not fail. The others are as in UsageItem.
 */
export interface UsageSums {
  readonly answers: number
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly toolTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly costUsd: number | null
  readonly unpricedCalls: number
  readonly estimatedCalls: number
}
export interface CreatedOrganization {
  readonly slug: string
  readonly name: string
}
/**
 * `token` is its text, which is not shown again.
 */
export interface CreatedToken {
  readonly id: string
  readonly name: string
  readonly lastFour: string
  readonly scopes: readonly ('read' | 'write' | 'chat')[]
  readonly networks: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly token: string
}
/**
 * `state`: `none` when there is none, or it was deleted. `done` of `total` conversations and templates are in the file already.
 */
export interface DataExport {
  readonly state: 'none' | 'waiting' | 'ready' | 'failed'
  readonly done: number
  readonly total: number
  readonly sizeBytes: number
  readonly until: string | null
}
/**
 * The decision about an approval. `lasts`: allow the tool and the host for the rest of the conversation, where that is offered.
 */
export interface Decision {
  readonly approved: boolean
  readonly reason?: string
  readonly lasts?: boolean
}
/**
 * `ids`: the suggestions' ids, or "all" for all undecided ones.
 */
export interface DecisionRequest {
  readonly ids: readonly string[] | 'all'
  readonly decision: 'accept' | 'reject'
}
/**
 * `version`: the new version, or the latest if none was created, with its content. `suggestions`: those that were decided.
 */
export interface DecisionResult {
  readonly version: VersionItem
  readonly content: string
  readonly suggestions: readonly SuggestionItem[]
}
export interface Device {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly lastUsedAt: string
  readonly isCurrent: boolean
}
/**
 * The sources of diagrams, each once, at most as many as a file can have.
 */
export interface DiagramSources {
  readonly items: readonly string[]
}
export interface DiffAnswer {
  readonly hunks: readonly DiffHunkItem[]
  readonly added: number
  readonly removed: number
}
/**
 * The starts are the line numbers, from 1, of its first line in each text.
 */
export interface DiffHunkItem {
  readonly fromStart: number
  readonly toStart: number
  readonly lines: readonly DiffLineItem[]
}
export interface DiffLineItem {
  readonly op: ' ' | '+' | '-'
  readonly text: string
}
/**
 * A file with its diagrams drawn. Those that are not sent stay as their source.
 */
export interface DrawnConversationExport {
  readonly format: 'pdf' | 'docx'
  readonly branches?: 'shown' | 'all'
  /**
   * @maxItems 40
   */
  readonly diagrams?: readonly DrawnDiagram[]
}
/**
 * A diagram that the browser drew. `png`: in base64.
 */
export interface DrawnDiagram {
  readonly source: string
  readonly png: string
}
/**
 * A file with its diagrams drawn. Those that are not sent stay as their source.
 */
export interface DrawnExport {
  readonly format: 'pdf' | 'docx'
  /**
   * Its number; without it, the latest.
   */
  readonly version?: number | null
  /**
   * @maxItems 40
   */
  readonly diagrams?: readonly DrawnDiagram[]
}
/**
 * What the frame's page knows from the start. The names that the chat page has, too, mean the same there (chat.api.boot).
 */
export interface EmbedBoot {
  readonly organization: BootOrganization
  readonly role: 'visitor'
  readonly language: string
  readonly api: string
  readonly socketUrl: string
  readonly sessionUrl: string
  readonly sandboxUrl: string
  readonly site: string
  readonly origins: readonly string[]
  readonly anonymousAllowed: boolean
  readonly membersMayKeep: boolean
  readonly switches: readonly ChatSwitch[]
  readonly look: EmbedTexts
}
/**
 * The words of the chat. Blank ones are the product's, in the visitor's language.
 */
export interface EmbedTexts {
  readonly title: string
  readonly subtitle: string
  readonly greeting: string
  readonly placeholder: string
  readonly starters: readonly string[]
  readonly showsBrand: boolean
}
/**
 * `visitorToken`: of a visitor who is new here, for the next visit; else blank. `conversationId`: what the visitor goes on with.
 */
export interface EmbedSession {
  readonly bearer: string
  readonly lifeS: number
  readonly visitorToken: string
  readonly conversationId: string | null
}
export interface EntryItem {
  readonly name: string
  readonly path: string
  readonly kind: string
  readonly sizeBytes: number
}
export interface EntryList {
  readonly items: readonly EntryItem[]
}
/**
 * `message` is a sentence for the user, `code` is for programs, `action` is what the user can do.
 *
 * `agent` is the name of the agent whose limit refused, as `GET api/limits/` has it.
 */
export interface Error {
  readonly error: ErrorDetail
}
/**
 * What the user thinks of an answer.
 */
export interface Feedback {
  readonly rating: 'up' | 'down'
  /**
   * @maxItems 6
   */
  readonly reasons?: readonly Reason[]
  readonly comment?: string
}
/**
 * The URLs are valid for five minutes. `reason`: why a failed file has no text.
 *
 * `url`: to show; of a picture, a copy of nothing but its pixels. `downloadUrl`: the bytes as they came.
 */
export interface FileItem {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly kind: 'image' | 'pdf' | 'office' | 'text'
  readonly sizeBytes: number
  readonly state: State
  readonly reason: string
  readonly url: string
  readonly downloadUrl: string
}
export interface FileRequest {
  readonly repository: string
  readonly path: string
}
/**
 * What was read of a file. `text`: with a form feed before each page of a PDF but the first. `isCut`: the file has more.
 */
export interface FileText {
  readonly text: string
  readonly isCut: boolean
}
/**
 * A template's text with its values.
 */
export interface FilledTemplate {
  readonly kind: TemplateKind
  readonly title: string
  readonly text: string
}
export interface GivenProof {
  readonly password?: string
  readonly code?: string
}
/**
 * The input was stored. `resumed`: the run waited and continues now.
 */
export interface InputAccepted {
  readonly runId: string
  readonly resumed: boolean
}
/**
 * `unreachable`: nothing is known about the key. `message`: a sentence for the user.
 */
export interface KeyVerdict {
  readonly result: 'ok' | 'refused' | 'unreachable'
  readonly message: string
}
export interface LanguageChoice {
  readonly code: string
  readonly name: string
}
export interface Limits {
  readonly limits: readonly RemainingLimit[]
  readonly budgets: readonly RemainingBudget[]
}
/**
 * `count`: messages, runs, tokens or US dollars within the window. `left`: what may still be used; null while it can't be read.
 *
 * `resetsInS`: the seconds until more is allowed when nothing is left, else until this minute, hour, day or 30 days end.
 */
export interface RemainingLimit {
  readonly holder: 'organization' | 'group' | 'member' | 'token' | 'assistant' | 'agent' | 'embed' | 'visitor'
  readonly agent: string
  readonly agentLabel: string
  readonly measure: 'messages' | 'runs' | 'tokens' | 'cost'
  readonly window: 'minute' | 'hour' | 'day' | 'month'
  readonly count: number
  readonly left: number | null
  readonly resetsInS: number | null
}
/**
 * `spent_usd`, `left_usd`: what is spent in the period, and may still be, in US dollars. More than `amount_usd` can be spent: nothing is left then.
 *
 * `begins_anew`: on which day (UTC); null: never.
 */
export interface RemainingBudget {
  readonly holder: 'organization' | 'group' | 'member' | 'token' | 'assistant' | 'agent' | 'embed' | 'visitor'
  readonly group: string
  readonly period: 'day' | 'month' | 'total'
  readonly amountUsd: number
  readonly spentUsd: number
  readonly leftUsd: number
  readonly beginsAnew: string | null
}
/**
 * `default_assistant`: the key of the assistant with which new chats begin; empty: the chat agent. `comment_mails`: about shared links.
 *
 * `shows_cost`: whether the page shows tokens and cost below answers. `code_ligatures`: whether it draws `!=` in code as one sign.
 */
export interface Me {
  readonly preferences: string
  readonly defaultAssistant: string
  readonly commentMails: boolean
  readonly showsCost: boolean
  readonly codeLigatures: boolean
}
export interface MeChange {
  readonly preferences?: string | null
  /**
   * The key of an assistant; empty: the chat agent. Once it is withdrawn, the chat agent answers.
   */
  readonly defaultAssistant?: string | null
  /**
   * Whether you get mails about comments on what you share and comment on.
   */
  readonly commentMails?: boolean | null
  /**
   * Whether the page shows tokens and cost below answers.
   */
  readonly showsCost?: boolean | null
  /**
   * Whether the page draws signs such as != in code as one.
   */
  readonly codeLigatures?: boolean | null
}
/**
 * The message was stored. `messageId`: the id of the answer that it became part of. `resumed`: the run waited and continues now.
 */
export interface MessageAccepted {
  readonly runId: string
  readonly messageId: string
  readonly resumed: boolean
}
/**
 * A page of messages, oldest first. The next page has older ones.
 */
export interface MessagePage {
  readonly items: readonly MessageItem[]
  readonly nextCursor: string | null
}
/**
 * Where a message is. `shown`: in the branch that is shown. `newer`: how many messages of that branch are newer; 0 when it is not in it.
 */
export interface MessagePlace {
  readonly shown: boolean
  readonly newer: number
}
/**
 * A model that the member can choose. `id` is Parley's id of it, `model` the provider's name.
 */
export interface ModelItem {
  readonly id: string
  readonly name: string
  readonly model: string
  readonly provider: string
  readonly providerLabel: string
  readonly contextWindow: number
  readonly maxOutputTokens: number
  readonly supportsThinking: boolean
  readonly supportsTools: boolean
  readonly supportsImages: boolean
  readonly supportsPdf: boolean
  readonly isDefault: boolean
  readonly prices: readonly PriceItem[]
}
/**
 * Prices in US dollars per million tokens, valid from a date on, for prompts of more than `aboveTokens` tokens.
 *
 * `searchUsd`: of a thousand searches of the provider's own tool; `pictureUsd`: of one picture that a tool of the provider draws.
 */
export interface PriceItem {
  readonly validFrom: string
  readonly aboveTokens: number
  readonly inputUsd: number | null
  readonly cachedUsd: number | null
  readonly cacheWriteUsd: number | null
  readonly outputUsd: number | null
  readonly thinkingUsd: number | null
  readonly imageUsd: number | null
  readonly searchUsd: number | null
  readonly pictureUsd: number | null
}
export interface ModelList {
  readonly items: readonly ModelItem[]
}
/**
 * Somebody whom a link names, or could.
 */
export interface NamedReader {
  readonly kind: 'member' | 'group'
  readonly id: string
  readonly name: string
}
export interface NamedReaders {
  readonly items: readonly NamedReader[]
}
/**
 * A new artifact. An image has the `fileId` of an attached picture; every other kind has `content`.
 */
export interface NewArtifact {
  readonly title: string
  readonly kind: 'text' | 'python' | 'mermaid' | 'code' | 'sheet' | 'image'
  readonly content?: string
  readonly fileId?: string | null
}
/**
 * A comment on a message, or on a version of a document, that the link shows.
 *
 * `anchor`: the passage that it is about; only where the link shows the latest version and hides nothing. `threadId`: the comment at the
 * same place that it answers.
 */
export interface NewComment {
  readonly text: string
  readonly messageId?: string | null
  readonly artifactId?: string | null
  readonly version?: number | null
  readonly anchor?: CommentAnchor | null
  readonly threadId?: string | null
}
/**
 * A new, empty conversation.
 */
export interface NewConversation {
  readonly title?: string | null
  readonly modelId?: string | null
  readonly projectId?: string | null
  /**
   * The key of the assistant that is to answer; empty: the chat agent; left out: your default assistant.
   */
  readonly assistant?: string | null
}
export interface NewKey {
  readonly provider: string
  readonly key: string
  readonly origin?: string
  readonly sessionOnly?: boolean
}
export interface NewOrganization {
  readonly name: string
}
/**
 * A project without conversations.
 */
export interface NewProject {
  readonly name: string
  readonly description?: string
  readonly color?: number
  readonly instructions?: string
}
/**
 * A prompt. `{{...}}` in its text are gaps to fill.
 */
export interface NewSavedPrompt {
  readonly title: string
  readonly text: string
}
export interface NewSecret {
  readonly name: string
  readonly tool: string
  readonly url: string
  readonly value: string
}
/**
 * A link to one of your conversations, answers or artifacts. Of an answer, which stays as it is, it shows the question, too.
 *
 * `version`: of an artifact whose link does not follow it; null: the latest one now. `follows`: it shows what is added later, too.
 * `readers`: whom a link of the audience `named` is for. `right`: what they may do; to edit a document, or those of a conversation, the link
 * follows it. `password`: what a link of the audience `public` asks for. `isListed`: search engines may list it, if it has no password.
 * `hidden`: texts that are left out. `hidesKeys`: what looks like a key or a password is left out; needed where there is one, and always so
 * of a link that follows. Who may edit sees all. `previewed`: the `state` of the preview that you looked at; what would show anything else by
 * now is refused (409).
 */
export interface NewShare {
  readonly of: 'conversation' | 'answer' | 'artifact'
  readonly targetId: string
  readonly follows?: boolean
  readonly version?: number | null
  readonly audience?: 'named' | 'members' | 'public'
  readonly right?: 'read' | 'comment' | 'edit'
  /**
   * @maxItems 50
   */
  readonly readers?: readonly ReaderId[]
  readonly password?: string | null
  readonly isListed?: boolean
  /**
   * @maxItems 100
   */
  readonly hidden?: readonly string[]
  readonly hidesKeys?: boolean
  readonly previewed?: string | null
  readonly days?: number | null
}
/**
 * A member (the id of the membership) or a group.
 */
export interface ReaderId {
  readonly kind: 'member' | 'group'
  readonly id: string
}
/**
 * A template of your own, which only you see until you submit it.
 */
export interface NewTemplate {
  readonly title: string
  readonly description?: string
  readonly category?: string
  readonly body: string
  /**
   * @maxItems 30
   */
  readonly placeholders?: readonly Placeholder[]
  readonly kind: TemplateKind
}
/**
 * `name`: as it stands between the braces. `label`: of its field. `choices`: of the kind `choice`. `default`: what the field begins with.
 */
export interface Placeholder {
  readonly name: string
  readonly label?: string
  readonly kind?: 'text' | 'long_text' | 'choice' | 'number' | 'date'
  readonly default?: string
  readonly required?: boolean
  /**
   * @maxItems 20
   */
  readonly choices?: readonly string[]
}
export interface NewToken {
  readonly name: string
  /**
   * @minItems 1
   */
  readonly scopes: readonly ('read' | 'write' | 'chat')[]
  readonly days?: number | null
  /**
   * CIDR texts from which it works; none: from everywhere
   */
  readonly networks?: readonly string[]
}
/**
 * `base`: the number of the version that was changed. `start`, `end`: for a patch, the selection in it (UTF-16 code units). An image
 * has no content, but the `fileId` of an attached picture.
 */
export interface NewVersionRequest {
  readonly content?: string
  readonly base: number
  readonly autosave?: boolean
  readonly operation?: 'edit' | 'patch' | 'merge'
  readonly start?: number | null
  readonly end?: number | null
  readonly fileId?: string | null
}
/**
 * What a link shows to a member whom it names, or to its owner (`isOwn`). `cut`: its end is left out. `mayComment`, `mayEdit`: you.
 */
export interface OpenedShare {
  readonly id: string
  readonly title: string
  readonly of: 'conversation' | 'answer' | 'artifact'
  readonly owner: string
  readonly isOwn: boolean
  readonly right: 'read' | 'comment' | 'edit'
  readonly mayComment: boolean
  readonly mayEdit: boolean
  readonly cut: boolean
  readonly pieces: readonly SharedPiece[]
  readonly comments: readonly CommentItem[]
}
/**
 * A text, a document, or the mention of a file. `heading`: the assistant's name, or the document's title. `note`: what the document is.
 *
 * `messageId`: of a question or an answer. `artifactId`, `version`: of a document.
 */
export interface SharedPiece {
  readonly kind: 'question' | 'answer' | 'artifact' | 'file'
  readonly heading: string
  readonly note: string
  readonly markdown: string
  readonly messageId: string | null
  readonly artifactId: string | null
  readonly version: number | null
}
/**
 * The member's own key. `stale`: it was entered for another address and is not used.
 */
export interface OwnKeyState {
  readonly lastFour: string
  readonly sessionOnly: boolean
  readonly stale: boolean
}
export interface Passkey {
  readonly id: number
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}
/**
 * The proposed change. To apply it, save a version with the operation `patch` and the same selection.
 */
export interface PatchAnswer {
  readonly original: string
  readonly replacement: string
  readonly hunks: readonly DiffHunkItem[]
}
/**
 * The selection and what to do with it. `start` and `end` are positions in version `base`, in UTF-16 code units.
 */
export interface PatchRequest {
  readonly base: number
  readonly start: number
  readonly end: number
  readonly instruction: string
}
/**
 * See Placeholder; `label` is never empty.
 */
export interface PlaceholderItem {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'long_text' | 'choice' | 'number' | 'date'
  readonly default: string
  readonly required: boolean
  readonly choices: readonly string[]
}
/**
 * The beginning of a text, or a document's title.
 */
export interface PreviewPiece {
  readonly kind: 'question' | 'answer' | 'artifact' | 'file'
  readonly text: string
}
/**
 * `deletionDueAt`: when the account will be deleted, if its owner asked for it.
 */
export interface Profile {
  readonly name: string
  readonly email: string
  readonly timeZone: string
  readonly language: string
  readonly languages: readonly LanguageChoice[]
  readonly pictureUrl: string | null
  readonly deletionDueAt: string | null
}
export interface ProfileChange {
  readonly name?: string | null
  readonly timeZone?: string | null
  readonly language?: string | null
}
/**
 * What to change of a project.
 */
export interface ProjectChange {
  readonly name?: string | null
  readonly description?: string | null
  readonly color?: number | null
  readonly instructions?: string | null
}
/**
 * A knowledge file of a project. `reason`: why a failed one has no text. `canRetry`: whether reading it can be tried again.
 */
export interface ProjectFileItem {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly kind: 'image' | 'pdf' | 'office' | 'text'
  readonly sizeBytes: number
  readonly state: State
  readonly reason: string
  readonly canRetry: boolean
}
/**
 * The files of a project by name, and how many bytes they may have together.
 */
export interface ProjectFileList {
  readonly items: readonly ProjectFileItem[]
  readonly usedBytes: number
  readonly maxBytes: number
}
/**
 * A project. `color`: which of the identity colours, from 1. `conversationCount`: without archived ones.
 */
export interface ProjectItem {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly color: number
  readonly instructions: string
  readonly conversationCount: number
  readonly fileCount: number
  readonly createdAt: string
}
/**
 * Your projects, by name.
 */
export interface ProjectList {
  readonly items: readonly ProjectItem[]
}
/**
 * The composed prompt, for the admin who asks and now. `stable` is what a provider's cache keeps.
 *
 * Sections have their tokens by name, also those that are switched off.
 */
export interface PromptPreview {
  readonly stable: string
  readonly changing: string
  readonly tokens: number
  readonly stableTokens: number
  readonly sectionTokens: {
    readonly [k: string]: number
  }
  readonly maxTokens: number
}
/**
 * The texts of an agent's prompt, saved or not.
 */
export interface PromptTexts {
  readonly systemPrompt?: string
  readonly sections?: {
    readonly [k: string]: SectionText
  }
}
/**
 * A section as it stands in the form. A blank text is the platform's default.
 */
export interface SectionText {
  readonly text?: string
  readonly isEnabled?: boolean
}
/**
 * `isRecent`: none is asked for now. The others: how this person can give one.
 */
export interface Proof {
  readonly isRecent: boolean
  readonly password: boolean
  readonly code: boolean
  readonly passkey: boolean
}
/**
 * A provider that takes keys. `origin`: where a key is sent. `source`: whose key the next answer uses.
 */
export interface ProviderKey {
  readonly provider: string
  readonly label: string
  readonly origin: string
  readonly source: ('session' | 'saved' | 'organization' | 'platform') | null
  readonly key: OwnKeyState | null
}
export interface ProviderKeys {
  readonly allowed: boolean
  readonly keys: readonly ProviderKey[]
}
export interface RepositoryItem {
  readonly name: string
  readonly description: string
  readonly private: boolean
}
export interface RepositoryList {
  readonly items: readonly RepositoryItem[]
}
/**
 * After how many days what is deleted for good; null: never. `beginsAt`: the first two hold from then on; null: they do already.
 */
export interface Retention {
  readonly conversationDays: number | null
  readonly fileDays: number | null
  readonly deletedDays: number
  readonly beginsAt: string | null
}
export interface RevertRequest {
  readonly number: number
}
export interface Rotation {
  readonly overlapHours?: number
}
/**
 * A message into an open run. `id`: chosen by the client; makes the message idempotent.
 */
export interface RunMessage {
  readonly id: string
  readonly text: string
}
/**
 * A prompt. `own`: you may change it. `source`: whose it is. `{{...}}` in the text are gaps to fill.
 */
export interface SavedPromptItem {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly own: boolean
  readonly source: 'own' | 'organization' | 'parley'
}
/**
 * The organization's prompts and your own, by title, and then Parley's.
 */
export interface SavedPromptList {
  readonly items: readonly SavedPromptItem[]
}
/**
 * `merged`: others wrote meanwhile, and `content` includes both changes.
 */
export interface SavedVersion {
  readonly version: VersionItem
  readonly content: string
  readonly merged: boolean
}
/**
 * An agent. `name`: for the search's filter `agent`.
 */
export interface SearchAgent {
  readonly name: string
  readonly label: string
}
/**
 * The agents that may have worked in your conversations, by label.
 */
export interface SearchAgents {
  readonly items: readonly SearchAgent[]
}
/**
 * A conversation that was found: by its title, by a message in it, or by a document.
 *
 * `title`: of the conversation, or of the document. `archived`, `projectId`: as in ConversationItem. `messageId`: the message that fits
 * best; null when the title or a document was found. `artifactId`: the document, of this `kind`, whose `version` was searched; all null for
 * other hits. `snippet`: a piece of the message or of that version. `at`: when that was written, or when the conversation was used last.
 */
export interface SearchHit {
  readonly conversationId: string
  readonly title: readonly TextSegment[]
  readonly archived: boolean
  readonly projectId: string | null
  readonly messageId: string | null
  readonly role: ('user' | 'assistant') | null
  readonly artifactId: string | null
  readonly kind: string | null
  readonly version: number | null
  readonly snippet: readonly TextSegment[]
  readonly at: string
}
/**
 * A piece of a text. `hit`: it is what was searched for.
 */
export interface TextSegment {
  readonly text: string
  readonly hit: boolean
}
/**
 * Hits, the best first. `similar`: words that were searched for as well, because nothing was found for those of the query.
 */
export interface SearchPage {
  readonly items: readonly SearchHit[]
  readonly nextCursor: string | null
  readonly similar: readonly string[]
}
/**
 * `placeholder` stands for it in conversations; only `tool` sends its value, to `origin` alone.
 */
export interface Secret {
  readonly id: string
  readonly name: string
  readonly placeholder: string
  readonly tool: string
  readonly origin: string
  readonly state: string
}
export interface SecretList {
  readonly secrets: readonly Secret[]
}
/**
 * What is sent changes: the end of a link; for one of the audience `named` whom it is for, and what they may do.
 *
 * `frameOrigins`: for a link to an artifact of the audience `public` without a password, such as https://wiki.example.
 */
export interface ShareChange {
  readonly days?: number | null
  readonly right?: ('read' | 'comment' | 'edit') | null
  readonly readers?: readonly ReaderId[] | null
  readonly frameOrigins?: readonly string[] | null
}
/**
 * `text`: the line, with the secret itself removed; the address; or the file's name.
 */
export interface ShareCheck {
  readonly kind: 'secret' | 'address' | 'file'
  readonly text: string
}
/**
 * A link of yours. `url`: empty when it can't be shown any more; it works all the same.
 *
 * `version`: the shared version of a document; null when the link follows it, and for conversations. `frameOrigins`: whose pages may show
 * the document in a frame, at the `url` with `frame/` behind it. `hidden`, `hidesKeys`: what the page leaves out. `commentCount`: those not
 * resolved.
 */
export interface ShareItem {
  readonly id: string
  readonly title: string
  readonly of: 'conversation' | 'answer' | 'artifact'
  readonly targetId: string
  readonly follows: boolean
  readonly version: number | null
  readonly audience: 'named' | 'members' | 'public'
  readonly right: 'read' | 'comment' | 'edit'
  readonly readers: readonly NamedReader[]
  readonly hasPassword: boolean
  readonly isListed: boolean
  readonly hidden: readonly string[]
  readonly hidesKeys: boolean
  readonly frameOrigins: readonly string[]
  readonly commentCount: number
  readonly url: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly expired: boolean
  readonly viewCount: number
  readonly lastViewedAt: string | null
}
/**
 * Your links that were not stopped, newest first.
 */
export interface ShareList {
  readonly items: readonly ShareItem[]
}
/**
 * What a link would show now, and what the organization allows. `cut`: it is too long, and its end would be left out.
 *
 * `state`: changes when the page would.
 */
export interface SharePreview {
  readonly state: string
  readonly title: string
  readonly organization: string
  readonly policy: 'off' | 'members' | 'public' | 'listed'
  readonly messageCount: number
  readonly artifactCount: number
  readonly fileCount: number
  readonly cut: boolean
  readonly pieces: readonly PreviewPiece[]
  readonly checks: readonly ShareCheck[]
}
/**
 * `passkeysWork`: whether browsers offer them at this address. `codesLeft`: null without recovery codes.
 *
 * `whyFactorStays`: why the only second factor can't be removed, or empty. `hasOtherAccounts`: whether there are accounts elsewhere by which
 * this person signs in, or can.
 */
export interface SignInOverview {
  readonly hasPassword: boolean
  readonly hasAuthenticatorApp: boolean
  readonly passkeys: readonly Passkey[]
  readonly passkeysWork: boolean
  readonly codesLeft: number | null
  readonly whyFactorStays: string
  readonly hasOtherAccounts: boolean
  readonly devices: readonly Device[]
}
export interface StartedConversation {
  readonly conversationId: string
}
/**
 * `stopping`: whether there was a run to stop.
 */
export interface StopAccepted {
  readonly stopping: boolean
}
/**
 * `versions`: newest first, for those who may change it. `reason`: why an admin sent it back.
 */
export interface TemplateDetail {
  readonly id: string
  readonly kind: TemplateKind
  readonly title: string
  readonly description: string
  readonly category: string
  readonly excerpt: string
  readonly state: TemplateState
  readonly source: 'organization' | 'parley'
  readonly own: boolean
  readonly author: string
  readonly reviewer: string
  readonly uses: number | null
  readonly version: number
  readonly updatedAt: string | null
  readonly body: string
  readonly placeholders: readonly PlaceholderItem[]
  readonly latestVersion: number
  readonly publishedVersion: number | null
  readonly reviewVersion: number | null
  readonly reason: string
  readonly versions: readonly VersionNote[]
}
export interface VersionNote {
  readonly number: number
  readonly createdAt: string
  readonly author: string
}
/**
 * A template as lists show it. `excerpt`: how its text begins. `source`: whose it is. `own`: you wrote it, or you are an admin and nobody
 * else owns it. `reviewer`: who published it. `uses`: null for Parley's own.
 */
export interface TemplateItem {
  readonly id: string
  readonly kind: TemplateKind
  readonly title: string
  readonly description: string
  readonly category: string
  readonly excerpt: string
  readonly state: TemplateState
  readonly source: 'organization' | 'parley'
  readonly own: boolean
  readonly author: string
  readonly reviewer: string
  readonly uses: number | null
  readonly version: number
  readonly updatedAt: string | null
}
/**
 * The organization's and your own templates, changed last first, and then Parley's own. `categories`: of all, on the first page only.
 */
export interface TemplatePage {
  readonly items: readonly TemplateItem[]
  readonly categories: readonly string[]
  readonly nextCursor: string | null
}
/**
 * What a version of a template has. `{{name}}` in the body are its placeholders; only in programs and diagrams each needs an entry.
 */
export interface TemplateText {
  readonly title: string
  readonly description?: string
  readonly category?: string
  readonly body: string
  /**
   * @maxItems 30
   */
  readonly placeholders?: readonly Placeholder[]
}
/**
 * `conversation`: its id; null: a new conversation begins with the artifact.
 */
export interface TemplateUse {
  readonly values: {
    readonly [k: string]: string
  } | null
  readonly conversation?: string | null
}
/**
 * `values`: by placeholder. Null: the placeholders stay in the text.
 */
export interface TemplateValues {
  readonly values: {
    readonly [k: string]: string
  } | null
}
export interface Token {
  readonly id: string
  readonly name: string
  readonly lastFour: string
  readonly scopes: readonly ('read' | 'write' | 'chat')[]
  readonly networks: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}
/**
 * `maxDays`: the longest life of a token by the organization's policy; null: any.
 */
export interface TokenList {
  readonly tokens: readonly Token[]
  readonly maxDays: number | null
}
/**
 * The result of a tool call that the client carries out: `output` (any JSON value) or `errorText`.
 */
export interface ToolOutput {
  readonly toolCallId: string
  readonly output?: unknown
  readonly errorText?: string | null
}
/**
 * Arguments of a trial. With `send` false, the request is only shown.
 */
export interface Trial {
  readonly arguments?: {
    readonly [k: string]: unknown
  }
  readonly send?: boolean
}
/**
 * The outcome of a trial. `request`: as it is sent, without the source's secret. `result` or `error`: the response, if it was sent.
 */
export interface TrialOutcome {
  readonly request: string
  readonly result: unknown
  readonly error: string | null
}
/**
 * Addresses of the user's organizations in which an answer has ended that they have not seen.
 */
export interface UnreadOrganizations {
  readonly slugs: readonly string[]
}
/**
 * What one conversation used. `id` is null when it was deleted.
 */
export interface UsageConversation {
  readonly answers: number
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly toolTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly costUsd: number | null
  readonly unpricedCalls: number
  readonly estimatedCalls: number
  readonly id: string | null
  readonly title: string
}
/**
 * What one model did for the member on one day (UTC).
 */
export interface UsageDay {
  readonly answers: number
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly toolTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly costUsd: number | null
  readonly unpricedCalls: number
  readonly estimatedCalls: number
  readonly day: string
  readonly model: string
}
/**
 * The usage of one day, model or conversation.
 *
 * `key`: the day, the model or the conversation's id. `inputTokens` includes tokens read from and written to a cache, and tokens that
 * the provider's own tools added. `costUsd` leaves out the `unpricedCalls`; null when no call has a price.
 * Of the `estimatedCalls`, tokens and cost are estimates in part: they were stopped or cut, or the server does not count.
 */
export interface UsageItem {
  readonly key: string
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly toolTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly costUsd: number | null
  readonly unpricedCalls: number
  readonly estimatedCalls: number
}
/**
 * A page of sums, ordered by key.
 */
export interface UsagePage {
  readonly items: readonly UsageItem[]
  readonly nextCursor: string | null
}
/**
 * What the member used from `first` to `last`, by day and model, and the conversations that cost most.
 */
export interface UsageSummary {
  readonly first: string
  readonly last: string
  readonly days: readonly UsageDay[]
  readonly conversations: readonly UsageConversation[]
}
/**
 * `fileUrl`: of an image, whose content is empty; valid for five minutes.
 */
export interface VersionDetail {
  readonly number: number
  readonly createdAt: string
  readonly operation: Operation
  readonly isDraft: boolean
  readonly isAutosave: boolean
  readonly authorKind: AuthorKind
  readonly authorName: string
  readonly agent: string
  readonly runId: string | null
  readonly parent: number | null
  readonly changedLines: LinesChanged | null
  readonly content: string
  readonly fileUrl: string | null
}
export interface VersionPage {
  readonly items: readonly VersionItem[]
  readonly nextCursor: string | null
}
/**
 * A frame of a visitor's socket: a model has named the conversation. It answers no request.
 */
export interface VisitorTitle {
  readonly type?: 'title'
  readonly requestId?: ''
  readonly conversationId: string
  readonly title: string
}
/**
 * Where a member signs in to take the visitor's conversations over: once, within ten minutes.
 */
export interface VisitorTransfer {
  readonly url: string
}
/**
 * A version of a document, without who wrote it and how. Empty for pictures, which visitors don't get.
 */
export interface VisitorVersion {
  readonly title: string
  readonly kind: string
  readonly number: number
  readonly content: string
}

export const ARTIFACT_KINDS = {
  text: {"label": "Document", "extension": "md", "mime": "text/markdown", "editable": true, "language": "markdown", "exports": ["pdf", "docx"]},
  python: {"label": "Python", "extension": "py", "mime": "text/x-python", "editable": true, "language": "python", "exports": ["pdf", "docx", "md"]},
  mermaid: {"label": "Diagram", "extension": "mmd", "mime": "text/vnd.mermaid", "editable": true, "language": "mermaid", "exports": ["md"]},
  code: {"label": "Code", "extension": "txt", "mime": "text/plain", "editable": true, "language": "by_title", "exports": ["pdf", "docx", "md"]},
  sheet: {"label": "Sheet", "extension": "csv", "mime": "text/csv", "editable": true, "language": "", "exports": ["pdf", "docx", "md"]},
  image: {"label": "Image", "extension": "png", "mime": "image/png", "editable": false, "language": "", "exports": ["png"]},
} as const

export const EXPORT_FORMATS = {
  pdf: "PDF",
  docx: "Word",
  md: "Markdown",
  png: "PNG",
} as const

export const TEXT_LIMITS = {
  feedback: 2000,
  comment: 4000,
} as const

export const FEEDBACK_REASONS = {
  not_correct: msg`Not correct`,
  out_of_date: msg`Out of date`,
  not_followed: msg`Not what was asked for`,
  too_long: msg`Too long`,
  bad_sources: msg`Bad sources`,
  other: msg`Something else`,
} as const
