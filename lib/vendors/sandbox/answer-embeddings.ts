import { randomUUID } from 'node:crypto'
import type { Forward, ForwardCall, WireAnswer } from '../vendor.ts'
import { DEFAULT_DIMENSIONS, embed } from './embed.ts'
import { unknownModel } from './failures.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'
import { seededId } from './seed.ts'
import { countTokens } from './tokens.ts'

const EMBED = 'sandbox/embed'
const ANSWER_MS = 30
/** How many texts are embedded before the event loop gets a turn. */
const TEXTS_PER_TURN = 32

/** A text and its token count. If the tokens came as numbers, the numbers are the words of the text. */
interface TokenizedText {
  text: string
  tokens: number
}

const toTokenizedText = (item: unknown): TokenizedText =>
  Array.isArray(item) ? { text: item.join(' '), tokens: item.length } : { text: String(item), tokens: countTokens(String(item)) }

const textsOf = (input: unknown): TokenizedText[] =>
  Array.isArray(input) && typeof input[0] !== 'number' ? input.map(toTokenizedText) : [toTokenizedText(input)]

/** A vector in the requested encoding. Nine digits are enough to tell every float32 from its neighbors. */
function encodeVector(vector: Float32Array, format: unknown): string | number[] {
  if (format !== 'base64') return Array.from(vector, (value) => Number(value.toPrecision(9)))
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}

async function write({ body, signal }: ForwardCall): Promise<Buffer> {
  const texts = textsOf(body.input)
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : DEFAULT_DIMENSIONS
  const data: object[] = []
  for (const [index, { text }] of texts.entries()) {
    data.push({ object: 'embedding', index, embedding: encodeVector(embed(text, dimensions), body.encoding_format) })
    if (index % TEXTS_PER_TURN !== TEXTS_PER_TURN - 1) continue
    await new Promise(setImmediate)
    checkAborted(signal)
  }
  const tokens = texts.reduce((sum, text) => sum + text.tokens, 0)
  return Buffer.from(
    JSON.stringify({ object: 'list', data, model: EMBED, usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  )
}

/** Answers embeddings. The same text gets the same vector. Rejects with VendorFailure('cut') when the call is aborted. */
export function answerEmbeddings({ sleep = realSleep, pace = 1, nonce = randomUUID }: SandboxOptions): Forward {
  return async function embeddings(call: ForwardCall): Promise<WireAnswer> {
    const { upstreamModel } = call.deployment
    checkAborted(call.signal)
    if (upstreamModel !== EMBED) return unknownModel(upstreamModel)
    const bytes = await write(call)
    await pause(sleep, ANSWER_MS * pace, call.signal)
    return {
      k: 'wire',
      status: 200,
      headers: {
        'content-type': 'application/json',
        'x-request-id': seededId('req_', nonce(), 'request', 24),
      },
      body: once(bytes, call.signal),
    }
  }
}

async function* once(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  checkAborted(signal)
  yield bytes
}
