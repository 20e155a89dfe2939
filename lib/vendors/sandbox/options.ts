import type { Upload } from '../../domain/form.ts'
import type { Sleep } from './pause.ts'

/** What the sandbox gets from outside: time, randomness, and the length of recordings. */
export interface SandboxOptions {
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: Sleep
  /** A text that is another one for each request. The ids in its answer come from it. */
  nonce?: () => string
  /** How slow it is, as a factor. 1 is about as slow as a real model, 0 never waits. */
  pace?: number
  /** The length of a file's sound in seconds; null if it has none. Without this function nothing is transcribed. */
  audioSeconds?: (file: Upload) => Promise<number | null>
}
