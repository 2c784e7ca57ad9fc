// Checks stream chunks against the AI SDK's own schema: one chunk of JSON per line on stdin.
//   node contract/check-chunks.mjs < chunks.jsonl
// Prints the number of good chunks; names each bad line on stderr and exits with 1.
import { createInterface } from 'node:readline'
import { asSchema, uiMessageChunkSchema } from 'ai'

const schema = asSchema(uiMessageChunkSchema)

/** The schema is a union: only the branch of the chunk's own type says something useful. */
function reason(error) {
  const branches = error.issues?.[0]?.errors ?? []
  const own = branches.find((issues) => issues.every((issue) => issue.path[0] !== 'type'))
  return own ? own.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') : 'unknown type'
}

async function problemOf(line) {
  try {
    const result = await schema.validate(JSON.parse(line))
    return result.success ? null : reason(result.error)
  } catch (error) {
    return error.message
  }
}

let number = 0
let good = 0
for await (const line of createInterface({ input: process.stdin })) {
  number += 1
  if (!line.trim()) continue
  const problem = await problemOf(line)
  if (problem === null) good += 1
  else console.error(`line ${number}: ${problem}\n  ${line}`)
  if (problem !== null) process.exitCode = 1
}
console.log(good)
