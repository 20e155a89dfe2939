import type { CatalogModel } from '../domain/catalog.ts'
import type { Form } from '../domain/form.ts'
import type { LanguageAsk, LanguageCapabilities, LanguagePart } from '../domain/language.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { LanguageHead, NonStreamingAnswer, StreamTap, WireHead } from './answer.ts'
import type { JsonObject } from './json.ts'

/** A request in a vendor's wire. The vendor adapter adds the vendor's name of the model, and its caps. */
export type Outgoing = { json: JsonObject } | { form: Form }

/** One way to ask a vendor that speaks a wire, and to read its answer. */
export interface WireForm<Prepared> {
  wire: WireId
  /** Which models it is for; all of them if this is absent. */
  fits?(model: CatalogModel): boolean
  /** Throws the 400 that names what cannot be sent this way. Nothing has been charged at that point. */
  check?(prepared: Prepared): void
  /** The name in the endpoint's own requests of a field of the wire, if it is another one. */
  requestFieldOf?(field: string, prepared: Prepared): string
  ask(prepared: Prepared): Outgoing
  readNonStreaming(bytes: Buffer, prepared: Prepared, head: WireHead): NonStreamingAnswer
  /** Only if the endpoint streams. */
  createTap?(prepared: Prepared, head: WireHead): StreamTap
  /**
   * A whole answer as the events that the tap reads. Some servers send one although a stream was asked for. Throws StreamBrokenError
   * for what readNonStreaming would not read.
   */
  asEvents?(bytes: Buffer): Buffer
}

/** A piece of one of several answers, and the index of that answer. */
export interface AnswerPiece {
  at: number
  bytes: Uint8Array
}

/**
 * A way to ask a vendor that speaks a wire several times at once, under one hold, as one call: if one request fails before
 * anything was sent, the whole call fails. The choices of a bound are shared equally among the requests.
 */
export interface FanOutForm<Prepared>
  extends Pick<WireForm<Prepared>, 'wire' | 'fits' | 'check' | 'requestFieldOf' | 'asEvents'> {
  askAll(prepared: Prepared): readonly Outgoing[]
  readNonStreaming(answers: readonly Buffer[], prepared: Prepared, head: WireHead): NonStreamingAnswer
  createTap?(prepared: Prepared, head: WireHead): StreamTap<AnswerPiece>
}

export type AnyForm<Prepared> = WireForm<Prepared> | FanOutForm<Prepared>

/** How vendors answer an endpoint whose wire they do not speak: through the types of the AI SDK. */
export interface LanguageForm<Prepared> {
  /** Throws the 400 that names what a vendor with these skills cannot be sent. Nothing has been charged at that point. */
  ask(prepared: Prepared, skills: LanguageCapabilities): LanguageAsk
  /** All requests, if there are several at once, as with a FanOutForm. The choices of their parts are numbered consecutively. */
  askAll?(prepared: Prepared, skills: LanguageCapabilities): readonly LanguageAsk[]
  readNonStreaming(parts: readonly LanguagePart[], prepared: Prepared, head: LanguageHead): NonStreamingAnswer
  createTap(prepared: Prepared, head: LanguageHead): StreamTap<LanguagePart>
}
