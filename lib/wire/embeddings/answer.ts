import { createUnreadableError, type NonStreamingAnswer } from '../answer.ts'
import type { ExtractedValues } from '../extract-values.ts'
import type { JsonObject } from '../json.ts'
import { readEmbeddingsUsage, writeEmbeddingsUsage } from './usage.ts'
import { convert, extractVectors, type Vector } from './vectors.ts'

/** How many vectors are converted before other requests get their turn. */
const VECTORS_PER_TURN = 32

interface EmbeddingsOptions {
  modelId: string
  format: Vector['format']
  /** How many texts there were. */
  count: number
}

/**
 * Reads a whole embeddings answer, which is returned in the format that the client asked for. Throws StreamBrokenError if it is not
 * such an answer.
 */
export function readEmbeddings(bytes: Buffer, { modelId, format, count }: EmbeddingsOptions): NonStreamingAnswer {
  const vectors = extractVectors(bytes)
  const answer = parse(vectors.rest)
  const items = inRequestOrder(itemsOf(answer, vectors))
  if (items.length !== count || vectors.values.length !== count)
    throw createUnreadableError(`${items.length} entries and ${vectors.values.length} vectors for ${count} texts`)
  const usage = readEmbeddingsUsage(answer.usage)
  const raw = usage ? (answer.usage as JsonObject) : null
  const { data: _, model: __, usage: ___, object: ____, ...more } = answer
  const head = { object: 'list', ...more, model: modelId }
  return {
    usage,
    finishReason: null,
    text: () => '',
    async finish() {
      for (const [at, item] of items.entries()) {
        item.vector = convert(item.vector, format)
        if (at % VECTORS_PER_TURN === VECTORS_PER_TURN - 1) await new Promise(setImmediate)
      }
    },
    encode: (counted, costNano) => encode({ ...head, usage: writeEmbeddingsUsage(counted, costNano, raw) }, items),
    toAnswerJson: () => ({
      ...head,
      data: items.map(({ entry, vector }) => ({ ...entry, embedding: `[${vector.dimensions} numbers]` })),
    }),
  }
}

interface Item {
  entry: JsonObject
  vector: Vector
}

function parse(rest: string): JsonObject {
  let answer: unknown
  try {
    answer = JSON.parse(rest)
  } catch {
    throw createUnreadableError('the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || !Array.isArray((answer as JsonObject).data))
    throw createUnreadableError('the answer has no data')
  return answer as JsonObject
}

/** The number of an entry, also as a text; null if it has none. */
const numberOf = (index: unknown): number | null =>
  typeof index === 'number' ? index : typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : null

/** The entries of an answer, each with its vector. */
function itemsOf(answer: JsonObject, vectors: ExtractedValues<Vector>): Item[] {
  return (answer.data as (JsonObject | null)[]).map((entry, at) => {
    const { embedding, index, model: _, ...more } = entry ?? {}
    const vector = vectors.of(embedding)
    if (!vector) throw createUnreadableError('an entry has no vector')
    return { entry: { ...more, object: 'embedding', index: numberOf(index) ?? at }, vector }
  })
}

/**
 * The entries in the order of their texts, which is how OpenAI sends them, because clients read them by their place. Only the order
 * of their numbers counts, so they may begin with any number. Servers that give all the same number do not count (LiteLLM before
 * BerriAI/litellm#25656). Throws StreamBrokenError if only some have the same: nobody could tell which belongs to which text.
 */
function inRequestOrder(items: readonly Item[]): Item[] {
  if (items.every(({ entry }, place) => entry.index === place)) return [...items]
  const numbers = new Set(items.map(({ entry }) => entry.index)).size
  if (numbers > 1 && numbers < items.length) throw createUnreadableError('two entries have the same index')
  // Stable, so entries with the same number stay where they are.
  const sorted = items.toSorted((a, b) => Number(a.entry.index) - Number(b.entry.index))
  return sorted.map(({ entry, vector }, index) => ({ entry: { ...entry, index }, vector }))
}

/** Puts the vectors' bytes back where they belong, without reading them. */
function encode(head: JsonObject, items: readonly Item[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`)]
  for (const [at, { entry, vector }] of items.entries())
    parts.push(Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(entry).slice(0, -1)},"embedding":`), vector.json, CLOSE_ENTRY)
  return Buffer.concat([...parts, CLOSE_ANSWER])
}

const CLOSE_ENTRY = Buffer.from('}')
const CLOSE_ANSWER = Buffer.from(']}')
