import type { CatalogModel } from '../domain/catalog.ts'
import type { Form } from '../domain/form.ts'
import type { LanguageAsk, LanguagePart, LanguageSkills } from '../domain/language.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { LanguageHead, StreamTap, WholeAnswer, WireHead } from './answer.ts'
import type { JsonObject } from './json.ts'

/** A request in a vendor's wire. The vendor puts in its own name of the model, and its caps. */
export type Outgoing = { json: JsonObject } | { form: Form }

/** One way to ask a vendor that speaks a wire, and to read what it answers there. */
export interface WireForm<Prepared> {
  wire: WireId
  /** Which models it is for; all of them where this is absent. */
  fits?(model: CatalogModel): boolean
  /** Throws the 400 that names what cannot be carried this way. Nothing was charged yet. */
  check?(prepared: Prepared): void
  /** What a field of the wire is called in the endpoint's own requests, where that is another name. */
  named?(field: string, prepared: Prepared): string
  ask(prepared: Prepared): Outgoing
  whole(bytes: Buffer, prepared: Prepared, head: WireHead): WholeAnswer
  /** Only where the endpoint streams. */
  tap?(prepared: Prepared, head: WireHead): StreamTap
}

/** A piece of one of several answers, and which of them it belongs to. */
export interface Piece {
  at: number
  bytes: Uint8Array
}

/**
 * A way to ask a vendor that speaks a wire several times at once, under one hold, as one call: where one fails
 * before anything was sent, all of it has failed. The choices of a bound are shared among them equally.
 */
export interface FanForm<Prepared> extends Pick<WireForm<Prepared>, 'wire' | 'fits' | 'check' | 'named'> {
  asks(prepared: Prepared): readonly Outgoing[]
  whole(answers: readonly Buffer[], prepared: Prepared, head: WireHead): WholeAnswer
  tap?(prepared: Prepared, head: WireHead): StreamTap<Piece>
}

export type AnyForm<Prepared> = WireForm<Prepared> | FanForm<Prepared>

/** How an endpoint is answered by vendors that do not speak its wire: through the AI SDK's words. */
export interface LanguageForm<Prepared> {
  /** Throws the 400 that names what a vendor with these skills cannot be given. Nothing was charged yet. */
  ask(prepared: Prepared, skills: LanguageSkills): LanguageAsk
  /** All that is asked, where it is several things at once, as of a FanForm. The choices of their parts are numbered on. */
  asks?(prepared: Prepared, skills: LanguageSkills): readonly LanguageAsk[]
  whole(parts: readonly LanguagePart[], prepared: Prepared, head: LanguageHead): WholeAnswer
  tap(prepared: Prepared, head: LanguageHead): StreamTap<LanguagePart>
}
