import type { Condition } from '#lib/domain/errors'
import type { Cell, Faults } from './row.ts'

/** One answer of a vendor: JSON, a sound's or an image's bytes, or a recorded file. */
export interface Reply {
  status?: number
  body?: object
  bytes?: Buffer
  type?: string
  recorded?: string
}

/** An end of work that made nothing. */
export interface Failed extends Reply {
  is: Condition
  /** Of an `invalid_request` alone: the words that its sender reads, and the field that is named. */
  says?: RegExp
  param?: string
}

/** Work that is begun, asked for again and again, and comes to an end. `origin` is where the vendor is. */
export interface Job {
  /** Answers to what is posted, in that order. */
  begun: readonly ((origin: string) => Reply)[]
  /** It is not done yet. */
  pending(origin: string): Reply
  done(origin: string): Reply
  failed: readonly Failed[]
}

/** What of a kind's models one can ask for; videos stand in video-rows.ts. */
export interface Work {
  modality: 'image' | 'speech' | 'transcription'
  upstreamModel: string
  /** Paths that are asked, in order, up to their ends: with a job, one that was pending once. */
  paths: readonly string[]
  /** The bytes where no job is made of it. */
  answer?(origin: string): Reply
  job?: Job
  /** Where the vendor, or the provider package's types, show the form. */
  after: string
  /** What a transcript says. */
  says?: RegExp
}

/** What every kind that makes no texts has to have shown, each cell on bytes of its vendor's wire. */
export interface MediaRow {
  /** The header that carries the credential `SECRET`. */
  credential: readonly [header: string, value: string]
  /** Results with what is billed for them. */
  image: Cell<Work>
  speech: Cell<Work>
  transcription: Cell<Work>
  /** Work that takes its time: not done yet, done, failed, never done. */
  polling: Cell<readonly Work[]>
  /** Whether work that nobody wants any more can be stopped. */
  cancel: Cell<object>
  faults: Faults
}

export const WORKS = ['image', 'speech', 'transcription'] as const

export const NO_IMAGES = { none: 'It makes no images.' }
export const NO_SPEECH = { none: 'It speaks nothing.' }
export const NO_TRANSCRIPTS = { none: 'It writes nothing down.' }
export const AT_ONCE = { none: 'It answers when it is done: there is nothing to ask for again.' }
export const NO_CANCEL = { none: "Its package cannot stop work: it is given up when the request's time is over." }
