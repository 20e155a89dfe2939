import { type ForwardCall, hasAnswer, VendorFailure, type WireAnswer } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnyForm, Outgoing } from '../wire/vendor-form.ts'
import type { Admitted } from './admit.ts'
import type { Route } from './choose-deployment.ts'
import { type CallAnswer, type FanOutCall, fanOutParts, fanOutWires } from './fan-out.ts'
import { wholeAsEvents } from './whole-as-events.ts'

/** Asks a vendor: in the form that was found for it, or else through the bridge. Throws or rejects with VendorFailure. */
export function askVendor<Input, P>(
  { request, bound }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  { deployment, vendor, countedCall }: Route,
  form: AnyForm<P> | null,
  signal: AbortSignal,
  onSent: () => void,
): Promise<CallAnswer> {
  const { connection } = deployment
  const stream = endpoint.isStreamed(request.input)
  const call = { deployment, connection, stream, cap: bound.cap, choices: bound.choices, signal, onSent }
  const forward = form && vendor.forward[form.wire]
  if (form && forward) {
    const ask = (ownCall: FanOutCall, outgoing: Outgoing) => {
      const pendingAnswer = forward(forwardCall(ownCall, outgoing))
      const { asEvents } = form
      return stream && asEvents ? pendingAnswer.then((answer) => withEvents(answer, asEvents)) : pendingAnswer
    }
    if ('ask' in form) {
      const pendingAnswer = ask(call, form.ask(request.work))
      const { requestFieldOf } = form
      return requestFieldOf
        ? pendingAnswer.then((answer) => withRequestFieldNames(answer, (field) => requestFieldOf(field, request.work)))
        : pendingAnswer
    }
    const asks = form.askAll(request.work)
    countedCall?.countRequests(asks.length)
    return fanOutWires(asks, call, (outgoing, ownCall) => ask(ownCall, outgoing))
  }
  const { bridge } = vendor
  const { language } = endpoint
  if (!bridge || !language) throw new VendorFailure('misconfigured', `a ${connection.kind} has no way to answer ${endpoint.name}`)
  countedCall?.countRequests(call.choices)
  const skills = bridge.skills(deployment.upstreamModel)
  if (!language.askAll) return bridge.run({ ...call, ask: language.ask(request.work, skills) })
  return fanOutParts(language.askAll(request.work, skills), call, (ask, ownCall) => bridge.run({ ...ownCall, ask }))
}

/** A streamed answer. Its media type does not matter: servers call a whole answer a stream, and the other way round. */
const withEvents = (answer: WireAnswer, asEvents: (bytes: Buffer) => Buffer): WireAnswer =>
  hasAnswer(answer.status) ? { ...answer, body: wholeAsEvents(answer.body, asEvents) } : answer

const forwardCall = (call: FanOutCall, outgoing: Outgoing): ForwardCall => ({
  ...call,
  body: 'json' in outgoing ? outgoing.json : {},
  form: 'form' in outgoing ? outgoing.form : null,
})

/** The fields that a vendor did not get, by the names that the request has for them. */
const withRequestFieldNames = (answer: WireAnswer, named: (field: string) => string | null): WireAnswer =>
  answer.ignored ? { ...answer, ignored: answer.ignored.map((field) => named(field) ?? field) } : answer
