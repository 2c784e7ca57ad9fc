// Reads a CSV file as the server reads attached texts (files/sniffing.py): UTF-16 by its mark, UTF-8, or Windows-1252.

const MAX_WESTERN_SHARE = 0.5 // of bytes beyond ASCII; Cyrillic, Greek and Japanese texts have more, and Windows-1252 would garble them
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/
const UNDEFINED_IN_WINDOWS_1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]) // TextDecoder lets them pass as control characters

/** The file's text without its byte order mark. Undefined: it is no text, or in another encoding. */
export async function readCsvFile(file: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = utf16Label(bytes) ? decode(bytes, utf16Label(bytes)) : (decode(bytes, 'utf-8') ?? westernText(bytes))
  return text === undefined || BINARY.test(text) ? undefined : text
}

function utf16Label([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : ''
}

function westernText(bytes: Uint8Array): string | undefined {
  const beyondAscii = bytes.filter((byte) => byte > 127)
  const isOther = beyondAscii.length > MAX_WESTERN_SHARE * bytes.length || beyondAscii.some((byte) => UNDEFINED_IN_WINDOWS_1252.has(byte))
  return isOther ? undefined : decode(bytes, 'windows-1252')
}

function decode(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
