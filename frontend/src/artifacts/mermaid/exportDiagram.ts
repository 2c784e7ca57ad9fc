// Exports a diagram as a file. Always in light colors, because a dark diagram is unreadable on a white page.
import { fileName, downloadUrl } from '../../browser/download'
import type { Drawing } from '../../sandbox/mermaid/messages'
import { drawDiagram } from './renderer'

const PNG_SCALE = 2
const MAX_PX = 8000

async function imageOf(svg: string): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  const image = new Image()
  image.src = url
  await image.decode().finally(() => URL.revokeObjectURL(url))
  return image
}

/** Drawn from a blob, so nothing is fetched and the canvas stays readable. */
async function pngOf({ svg, width, height }: Drawing): Promise<Blob> {
  const image = await imageOf(svg)
  const scale = Math.min(PNG_SCALE, MAX_PX / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * scale)
  canvas.height = Math.ceil(height * scale)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is empty'))), 'image/png'))
}

/** The diagram as a PNG. Rejects when it cannot be drawn. */
export async function diagramPng(code: string): Promise<Blob> {
  const result = await drawDiagram(code, 'light')
  if (!result.ok) throw new Error(result.fault.message)
  return pngOf(result.drawing)
}

/** Downloads the diagram. Rejects when it cannot be drawn. */
export async function exportDiagram(code: string, title: string, format: 'svg' | 'png'): Promise<void> {
  const result = await drawDiagram(code, 'light')
  if (!result.ok) throw new Error(result.fault.message)
  const blob = format === 'svg' ? new Blob([result.drawing.svg], { type: 'image/svg+xml' }) : await pngOf(result.drawing)
  const url = URL.createObjectURL(blob)
  downloadUrl(url, fileName(title, format))
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
