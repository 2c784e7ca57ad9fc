import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchDownloads } from './downloads'

const real = globalThis.fetch
beforeEach(() => void vi.stubGlobal('self', globalThis))
afterEach(() => {
  globalThis.fetch = real
})

/** A server whose files arrive in pieces of 10 bytes. */
function serve(files: Record<string, number>, headers: Record<string, string> = {}): void {
  globalThis.fetch = (name) => {
    let left = files[name as string]!
    const body = new ReadableStream({
      pull(controller) {
        left -= 10
        controller.enqueue(new Uint8Array(10))
        if (left <= 0) controller.close()
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-length': String(files[name as string]), ...headers } }))
  }
}

const bytesOf = async (name: string) => (await (await fetch(name)).arrayBuffer()).byteLength

it('tells a percentage that only grows, of all files together, and changes nothing of them', async () => {
  serve({ numpy: 50, pandas: 150 })
  const percents: number[] = []
  const end = watchDownloads((percent) => percents.push(percent))
  expect(await Promise.all([bytesOf('numpy'), bytesOf('pandas')])).toEqual([50, 150])
  expect(percents).toEqual([...percents].sort((a, b) => a - b))
  expect(percents.at(-1)).toBe(100)
  end()
  await bytesOf('numpy')
  expect(percents.at(-1)).toBe(100)
})

it('tells nothing of a file whose size is not that of its bytes', async () => {
  serve({ numpy: 50 }, { 'content-encoding': 'gzip' })
  const percents: number[] = []
  const end = watchDownloads((percent) => percents.push(percent))
  expect(await bytesOf('numpy')).toBe(50)
  expect(percents).toEqual([])
  end()
})
