import { type ForwardCall, type LanguageCall, VendorFailure, type WireAnswer } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnyForm, Outgoing } from '../wire/vendor-form.ts'
import type { Admitted } from './admit.ts'
import type { Route } from './choose.ts'
import { fanParts, fanWires, type Reached } from './fan-out.ts'

/** Asks a vendor: in the form that was found for it, or else through the bridge. Throws or rejects with VendorFailure. */
export function send<Input, P>(
  { request, bound }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  { deployment, vendor, counted }: Route,
  form: AnyForm<P> | null,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Reached> {
  const { connection } = deployment
  const stream = endpoint.isStreamed(request.input)
  const call = { deployment, connection, stream, cap: bound.cap, choices: bound.choices, signal, onSent }
  const forward = form && vendor.forward[form.wire]
  if (form && forward) {
    if ('ask' in form) {
      const asking = forward(forwardCall(call, form.ask(request.work)))
      const { requestFieldOf } = form
      return requestFieldOf ? asking.then((answer) => inOwnNames(answer, (field) => requestFieldOf(field, request.work))) : asking
    }
    const asks = form.askAll(request.work)
    counted?.asked(asks.length)
    return fanWires(asks, call, (asked, own) => forward(forwardCall(own, asked)))
  }
  const { bridge } = vendor
  const { language } = endpoint
  if (!bridge || !language) throw new VendorFailure('misconfigured', `a ${connection.kind} has no way to answer ${endpoint.name}`)
  counted?.asked(call.choices)
  const skills = bridge.skills(deployment.upstreamModel)
  if (!language.askAll) return bridge.run({ ...call, ask: language.ask(request.work, skills) })
  return fanParts(language.askAll(request.work, skills), call, (ask, own) => bridge.run({ ...own, ask }))
}

const forwardCall = (call: Omit<LanguageCall, 'ask'>, asked: Outgoing): ForwardCall => ({
  ...call,
  body: 'json' in asked ? asked.json : {},
  form: 'form' in asked ? asked.form : null,
})

/** The fields that a vendor did not get, by the names that the request has for them. */
const inOwnNames = (answer: WireAnswer, named: (field: string) => string | null): WireAnswer =>
  answer.ignored ? { ...answer, ignored: answer.ignored.map((field) => named(field) ?? field) } : answer
