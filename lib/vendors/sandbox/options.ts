import type { Upload } from '../../domain/form.ts'
import type { Sleep } from './pause.ts'

/** What the sandbox takes from outside: time, and the length of sounds. */
export interface SandboxOptions {
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: Sleep
  /** How slow it is, as a factor: 1 is about as slow as a real model, 0 never waits. */
  pace?: number
  /** How long the sound of a file is, in seconds; null where it has none. Without it no sound is written down. */
  audioSeconds?: (file: Upload) => Promise<number | null>
}
