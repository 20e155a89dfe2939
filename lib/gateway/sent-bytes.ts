const MAX_BYTES = 8 * 1024 * 1024

/** What was sent of a stream, for a repeat with the same Idempotency-Key. A stream that becomes too long cannot be repeated. */
export class SentBytes {
  readonly #pieces: Uint8Array[] = []
  #bytes = 0

  add(bytes: Uint8Array): void {
    if (this.#bytes > MAX_BYTES) return
    this.#bytes += bytes.byteLength
    this.#pieces.push(bytes)
  }

  /** All of it including its last bytes; null if it was too long to keep. */
  concatWith(tail: Uint8Array): Buffer | null {
    return this.#bytes > MAX_BYTES ? null : Buffer.concat([...this.#pieces, tail])
  }
}
