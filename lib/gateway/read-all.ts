import { asBuffer } from '../domain/as-buffer.ts'
import { StreamBrokenError } from '../wire/answer.ts'
import { MAX_ANSWER_BYTES } from '../wire/answer-length.ts'

/** Returns a function that passes on the pieces of one whole answer. It throws when their total is too long. */
export function limitAnswerBytes(): (piece: Uint8Array) => Uint8Array {
  let sum = 0
  return (piece) => {
    sum += piece.byteLength
    if (sum > MAX_ANSWER_BYTES)
      throw new StreamBrokenError('The model sent an answer that is too long.', `over ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`)
    return piece
  }
}

/** A whole answer. Throws StreamBrokenError if it is too long. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const limited = limitAnswerBytes()
  for await (const chunk of body) chunks.push(limited(chunk))
  const [first] = chunks
  return chunks.length === 1 && first ? asBuffer(first) : Buffer.concat(chunks)
}
