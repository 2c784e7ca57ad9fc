import { MAX_OUTPUT_BYTES, MAX_PICTURES_BYTES } from './limits'
import type { FromWorker, Stream } from './messages'

/** Sends the text and the pictures of a program to the frame, up to their limits. */
export class ProgramOutput {
  private writtenBytes = 0
  private pictureBytes = 0

  constructor(private readonly send: (message: FromWorker) => void) {}

  /** A new program starts with all of both limits. */
  reset(): void {
    this.writtenBytes = 0
    this.pictureBytes = 0
  }

  /** Sends each write at once, up to the limit. Beyond it, the frame stops the program. */
  writerOf(stream: Stream) {
    const decoder = new TextDecoder()
    return {
      isatty: false,
      write: (bytes: Uint8Array): number => {
        const wasFull = this.writtenBytes >= MAX_OUTPUT_BYTES
        this.writtenBytes += bytes.length
        if (!wasFull) this.send({ type: 'chunk', chunk: { stream, text: decoder.decode(bytes, { stream: true }) } })
        if (!wasFull && this.writtenBytes >= MAX_OUTPUT_BYTES) this.send({ type: 'full' })
        return bytes.length
      },
    }
  }

  showPicture(png: string): void {
    this.pictureBytes += png.length
    this.send(this.pictureBytes > MAX_PICTURES_BYTES ? { type: 'full' } : { type: 'picture', png })
  }
}
