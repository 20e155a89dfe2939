/**
 * The first bytes of a body that may be long or break off; the rest is not read. Keeps whole chunks, so the last one may exceed
 * `maxBytes`.
 */
export async function readFirstBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes >= maxBytes) break
    }
  } catch {
    // Half a text is treated like none.
  }
  return Buffer.concat(chunks)
}
