// Draws diagrams in one hidden frame for the whole page, one after the other.
import { t } from '@lingui/core/macro'
import type { Drawing, DiagramError, FromFrame, Theme } from '../../sandbox/mermaid/messages'
import { openFrame, type Sandbox } from '../../sandbox/openFrame'
import { fontStyle, loadFont, withStyle } from './diagramFont'

/** `isTemporary`: another try may draw it. */
export type DrawResult = { readonly ok: true; readonly drawing: Drawing } | { readonly ok: false; readonly fault: DiagramError; readonly isTemporary?: boolean }
type Job = { readonly id: number; readonly code: string; readonly theme: Theme; readonly resolve: (result: DrawResult) => void }

/** A diagram that takes longer would probably never finish, so its frame is replaced. */
const MAX_DRAW_MS = 5000
/** The first diagram also waits for the frame and for Mermaid to load. */
const MAX_START_MS = 20_000
const MAX_CACHED = 50

const queue: Job[] = []
const cache = new Map<string, DrawResult>()
let frame: Sandbox | undefined
let hasDrawn = false
let style = '' // of the font, for each picture
let timer: ReturnType<typeof setTimeout> | undefined
let lastId = 0

const isSize = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e6

/** Checks the message of the frame, which is not trusted. */
function resultOf(message: FromFrame): DrawResult {
  if (message.type === 'fault') return { ok: false, fault: { message: String(message.fault.message) || t`The diagram cannot be drawn.`, line: Number(message.fault.line) || null } }
  const { svg, width, height, kind } = message.drawing
  if (typeof svg !== 'string' || !isSize(width) || !isSize(height)) return { ok: false, fault: { message: t`The diagram is empty.`, line: null } }
  return { ok: true, drawing: { svg: withStyle(svg, style), width, height, kind: String(kind) } }
}

/** Opens the frame and hands it the page's font first. */
async function openRenderer(): Promise<Sandbox> {
  const sandbox = openFrame('mermaid', t`Diagram renderer`, (message) => onMessage(message as FromFrame))
  const font = await loadFont()
  if (font) {
    style = fontStyle(font)
    sandbox.post({ type: 'font', font }, [font])
  }
  return sandbox
}

async function startNext(): Promise<void> {
  const job = queue[0]
  if (!job) return
  frame ??= await openRenderer()
  timer = setTimeout(giveUp, hasDrawn ? MAX_DRAW_MS : MAX_START_MS)
  frame.post({ type: 'draw', id: job.id, code: job.code, theme: job.theme })
}

function finish(result: DrawResult): void {
  clearTimeout(timer)
  queue.shift()?.resolve(result)
  void startNext()
}

function onMessage(message: FromFrame): void {
  if (message.id !== queue[0]?.id) return
  hasDrawn = true
  finish(resultOf(message))
}

function giveUp(): void {
  frame?.close()
  frame = undefined
  hasDrawn = false
  finish({ ok: false, isTemporary: true, fault: { message: t`The diagram took too long to draw.`, line: null } })
}

function addToCache(key: string, result: DrawResult): void {
  cache.set(key, result)
  const oldest = cache.keys().next().value
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
}

/** The diagram of `code`, or the reason why there is none. Never rejects. */
export async function drawDiagram(code: string, theme: Theme): Promise<DrawResult> {
  const key = `${theme} ${code}`
  const entry = cache.get(key)
  if (entry) return entry
  const result = await new Promise<DrawResult>((resolve) => {
    queue.push({ id: ++lastId, code, theme, resolve })
    if (queue.length === 1) void startNext()
  })
  if (result.ok || !result.isTemporary) addToCache(key, result)
  return result
}
