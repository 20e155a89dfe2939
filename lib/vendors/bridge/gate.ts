import { type Dispatcher, fetch as undiciFetch } from 'undici'
import type { Connection } from '../../domain/catalog.ts'
import type { LanguageAsk } from '../../domain/language.ts'
import { withSentCallback } from '../sent-callback.ts'
import { VendorFailure } from '../vendor.ts'
import { correctWhole, eventCorrector } from './correct-answer.ts'
import type { Dialect, Outgoing } from './dialect.ts'

const MAX_ERROR_BYTES = 64 * 1024
/** The largest answer. A stream has many bytes around each token. A provider package reads whole answers into memory. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** What the gate knows about a call. */
export interface GateCall {
  ask: LanguageAsk
  /** The most output tokens that it may ask for. */
  cap: number
  /** The request's fields that had to be left out to fit the cap, or that the package has changed by itself. */
  ignored: string[]
  /** True once something was sent. What fails before that is the request's own fault. */
  sent: boolean
  onSent(): void
}

/**
 * The last gate before the socket, and the only `fetch` that a provider package gets. It reads the outgoing request, lowers what
 * the package added by itself, and refuses what still asks for more than the hold covers. One call is one request, because a
 * second one would bill the input again.
 */
export function gatedFetch(dialect: Dialect, call: GateCall, agent: Dispatcher, connection: Connection): typeof globalThis.fetch {
  return async (input, init) => {
    if (call.sent) throw new VendorFailure('over_cap', 'the provider package asks a second time in one call')
    const { body: made, text } = readOutgoing(init?.body)
    const restored = dialect.restore?.(made, call.ask) ?? null
    const body = restored ?? made
    const fitted = dialect.fit(body, call.cap)
    const changed = fitted.body ?? restored
    const requestedTokens = dialect.capOf(fitted.body ?? body)
    if (!(requestedTokens <= call.cap))
      throw new VendorFailure('over_cap', `the outgoing request asks for ${requestedTokens} tokens, held are ${call.cap}`)
    call.ignored.push(...fitted.ignored, ...(dialect.findChangedFields?.(body, call.ask) ?? []))
    const outgoing = {
      url: String(input),
      // A compressed stream would arrive later and in larger pieces.
      headers: { ...(init?.headers as Record<string, string>), 'accept-encoding': 'identity' },
      body: changed ? JSON.stringify(changed) : text,
      signal: init?.signal ?? null,
    }
    const headers = (await dialect.authorize?.(outgoing, connection, agent)) ?? outgoing.headers
    call.sent = true
    const answer = await undiciFetch(outgoing.url, {
      method: 'POST',
      headers,
      body: outgoing.body,
      signal: init?.signal ?? null,
      dispatcher: withSentCallback(agent, call.onSent),
      // A redirect could send our credentials to another server.
      redirect: 'error',
    })
    const type = answer.headers.get('content-type') ?? ''
    const corrections = (answer.ok && dialect.corrections) || null
    const correct = corrections && type.includes('text/event-stream') ? eventCorrector(corrections) : asIs
    const maxBytes = answer.ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES
    const limited = answer.body ? limit(answer.body as ReadableStream<Uint8Array>, maxBytes, answer.ok, correct) : null
    const response = new Response(limited, { status: answer.status, headers: [...answer.headers] })
    if (!corrections || !type.includes('json')) return response
    return new Response(correctWhole(await response.text(), corrections), response)
  }
}

const asIs = (bytes: Uint8Array): Uint8Array => bytes

function readOutgoing(text: unknown): { body: Outgoing; text: string } {
  const body: unknown = typeof text === 'string' ? JSON.parse(text) : null
  if (typeof body !== 'object' || body === null)
    throw new VendorFailure('over_cap', 'the outgoing request cannot be read, and so not its cap')
  return { body: body as Outgoing, text: text as string }
}

/**
 * Passes on what `correct` makes of a body, up to `maxBytes` of it. If the body is longer, that is an error if `strict`; otherwise
 * it ends there.
 */
function limit(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  strict: boolean,
  correct: (bytes: Uint8Array) => Uint8Array,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return controller.close()
          bytes += value.byteLength
          if (bytes > maxBytes) break
          const corrected = correct(value)
          // An empty chunk would not ask for the next one.
          if (corrected.byteLength > 0) return controller.enqueue(corrected)
        }
        await reader.cancel()
        if (strict) throw new VendorFailure('unreadable', `the answer is longer than ${maxBytes} bytes`)
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
