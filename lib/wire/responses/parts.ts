import type { LanguagePart } from '../../domain/language.ts'
import type { LanguageHead, NonStreamingAnswer, StreamEnd } from '../answer.ts'
import { StreamBrokenError } from '../answer.ts'
import { NO_BYTES } from '../bytes.ts'
import { customToolNames } from '../chat/custom-tools.ts'
import { ChatDeltas } from '../chat/deltas.ts'
import { toNonStreaming } from './chat-tap.ts'
import { headOf, type PreparedResponse } from './prepared.ts'
import { ResponseStream } from './stream.ts'
import { ResponsesTap } from './tap.ts'

const deltasOf = ({ chat }: PreparedResponse, { skills }: LanguageHead): ChatDeltas =>
  new ChatDeltas(skills, 1, { early: true, customTools: customToolNames(chat.body) })

/** Reads a bridged model's parts and writes the events of a response. */
export class ResponsesPartsTap extends ResponsesTap<LanguagePart> {
  readonly #deltas: ChatDeltas
  #broken: StreamBrokenError | null = null

  constructor(prepared: PreparedResponse, head: LanguageHead) {
    super(prepared, head)
    this.#deltas = deltasOf(prepared, head)
  }

  get broken(): StreamBrokenError | null {
    return this.#broken ?? this.#deltas.broken
  }

  get done(): boolean {
    return this.#deltas.done
  }

  push(part: LanguagePart): Uint8Array {
    try {
      const read = this.#deltas.read(part)
      if (read === null) return NO_BYTES
      this.stream.add(read.delta, [], read.finishReason)
      if (this.done) this.stream.close()
    } catch (error) {
      if (!(error instanceof StreamBrokenError)) throw error
      this.#broken = error
    }
    return this.stream.takeEvents()
  }

  get searches(): number {
    return this.#deltas.searches
  }

  end(): StreamEnd {
    this.stream.usage = this.#deltas.usage()
    return this.stream.end(this.done)
  }
}

/** Reads the parts of a non-streaming answer as a response. Throws StreamBrokenError if they have no end. */
export function nonStreamingFromParts(
  parts: readonly LanguagePart[],
  prepared: PreparedResponse,
  head: LanguageHead,
): NonStreamingAnswer {
  const stream = new ResponseStream(prepared, headOf(prepared, head))
  const deltas = deltasOf(prepared, head)
  for (const part of parts) {
    const read = deltas.read(part)
    if (deltas.broken) throw deltas.broken
    if (read) stream.add(read.delta, [], read.finishReason)
  }
  if (!deltas.done) throw new StreamBrokenError("The model's vendor ended the answer early.", 'the answer has no end')
  stream.usage = deltas.usage()
  return { ...toNonStreaming(stream), searches: deltas.searches }
}
