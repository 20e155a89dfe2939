import type { Condition } from '#lib/domain/errors'
import type { Cell, Faults } from './row.ts'

/** An answer of a vendor: JSON, the bytes of a sound or an image, or a recorded file. */
export interface Reply {
  status?: number
  body?: object
  bytes?: Buffer
  type?: string
  recorded?: string
}

/** An end of work that produced nothing. */
export interface FailedReply extends Reply {
  is: Condition
  /** Only for an `invalid_request`: the words that its sender reads, and the field that is named. */
  says?: RegExp
  param?: string
}

/** Work that is started, polled, and comes to an end. `origin` is the vendor's. */
export interface Job {
  /** Answers to the POST requests, in this order. */
  begun: readonly ((origin: string) => Reply)[]
  /** The answer while the work is not done. */
  pending(origin: string): Reply
  done(origin: string): Reply
  failed: readonly FailedReply[]
}

/** What can be requested of a kind's models. Videos are in video-rows.ts. */
export interface Work {
  modality: 'image' | 'speech' | 'transcription'
  upstreamModel: string
  /** The starts of the requested paths, in order. With a job, this includes one poll that is pending. */
  paths: readonly string[]
  /** The answer, if the work is not a job. */
  answer?(origin: string): Reply
  job?: Job
  /** Where the vendor or the provider package's types document the format. */
  source: string
  /** The text that a transcript contains. */
  says?: RegExp
}

/** What has to be shown for every kind without chats, each cell with bytes of its vendor's wire format. */
export interface MediaRow {
  /** The header that carries the credential `SECRET`. */
  credential: readonly [header: string, value: string]
  /** Results with their billed usage. */
  image: Cell<Work>
  speech: Cell<Work>
  transcription: Cell<Work>
  /** Work that takes time: not done yet, done, failed, never done. */
  polling: Cell<readonly Work[]>
  /** Whether work that is no longer wanted can be stopped. */
  cancel: Cell<object>
  faults: Faults
}

export const WORKS = ['image', 'speech', 'transcription'] as const

export const NO_IMAGES = { none: 'It makes no images.' }
export const NO_SPEECH = { none: 'It speaks nothing.' }
export const NO_TRANSCRIPTS = { none: 'It writes nothing down.' }
export const AT_ONCE = { none: 'It answers when it is done: there is nothing to ask for again.' }
export const NO_CANCEL = { none: "Its package cannot stop work: it is given up when the request's time is over." }
