/** A body that comes in one piece. */
export async function* singleChunk<Chunk extends Uint8Array>(bytes: Chunk): AsyncGenerator<Chunk> {
  yield bytes
}
