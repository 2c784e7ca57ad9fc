// How much of the files that are being fetched is there.

type Download = { receivedBytes: number; readonly total: number }

/**
 * Watches what this worker fetches, and tells the percentage of it all, whenever that grows. Returns the function that ends it.
 *
 * As long as a file's size is not known, nothing is reported.
 */
export function watchDownloads(onPercent: (percent: number) => void): () => void {
  const former = self.fetch
  const downloads: Download[] = []
  let pending = 0
  let lastPercent = -1
  const tell = () => {
    const total = downloads.reduce((sum, download) => sum + download.total, 0)
    const percent = Math.floor((100 * downloads.reduce((sum, download) => sum + download.receivedBytes, 0)) / total)
    if (pending > 0 || !(percent > lastPercent)) return
    lastPercent = percent
    onPercent(percent)
  }
  self.fetch = async (...args) => {
    pending++
    const response = await former(...args).finally(() => pending--)
    const total = Number(response.headers.get('content-length'))
    if (!response.ok || !response.body || !total || response.headers.has('content-encoding')) return response
    const download = { receivedBytes: 0, total }
    downloads.push(download)
    const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        download.receivedBytes += chunk.byteLength
        tell()
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(counter), { status: response.status, headers: response.headers })
  }
  return () => {
    self.fetch = former
  }
}
