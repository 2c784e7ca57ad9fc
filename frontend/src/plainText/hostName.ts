// Names of hosts as people read them. Pure.

const BASE = 36
const [T_MIN, T_MAX, SKEW, DAMP, FIRST_BIAS, FIRST_CODE] = [1, 26, 38, 700, 72, 128]
const MAX_CODE = 0x10ffff

/** The host in Unicode, where it differs from its ASCII form; undefined: it does not, or it can't be read. */
export function unicodeHost(host: string): string | undefined {
  if (!/(^|\.)xn--/i.test(host)) return undefined
  const labels = host.split('.').map((label) => (/^xn--/i.test(label) ? decodeLabel(label.slice(4)) : label))
  return labels.includes(undefined) ? undefined : labels.join('.')
}

/** RFC 3492, section 6.2. Undefined for a label that is none. */
function decodeLabel(label: string): string | undefined {
  const dash = label.lastIndexOf('-')
  const output = dash > 0 ? [...label.slice(0, dash)].map((letter) => letter.charCodeAt(0)) : []
  let [code, index, bias] = [FIRST_CODE, 0, FIRST_BIAS]
  for (let place = dash > 0 ? dash + 1 : 0; place < label.length; ) {
    const before = index
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(label[place++])
      if (digit === undefined) return undefined
      index += digit * weight
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = output.length + 1
    bias = adapt(index - before, length, before === 0)
    code += Math.floor(index / length)
    if (code > MAX_CODE) return undefined
    index %= length
    output.splice(index++, 0, code)
  }
  return String.fromCodePoint(...output)
}

function digitOf(letter: string | undefined): number | undefined {
  if (letter === undefined || !/[a-z0-9]/i.test(letter)) return undefined
  return /[0-9]/.test(letter) ? Number(letter) + 26 : letter.toLowerCase().charCodeAt(0) - 97
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? DAMP : 2))
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
