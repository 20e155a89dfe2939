/** The first bytes of what may be long, and break off: what came by then; whole pieces, the last of which may pass `most`. */
export async function firstBytes(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > most) break
    }
  } catch {
    // Half a text is as good as none.
  }
  return Buffer.concat(chunks)
}
