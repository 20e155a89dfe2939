import { type ForwardCall, type LanguageCall, VendorFailure } from '../vendors/vendor.ts'
import type { AnyForm, Outgoing, PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { Route } from './choose.ts'
import { fanParts, fanWires, type Reached } from './fan-out.ts'

/** Asks a vendor: in the form that was found for it, else through the bridge. */
export async function send<Input, P>(
  { request, bound }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  { deployment, vendor, counted }: Route,
  form: AnyForm<P> | null,
  signal: AbortSignal,
): Promise<Reached> {
  const { connection } = deployment
  const stream = endpoint.streamed(request.input)
  const call = { deployment, connection, stream, cap: bound.cap, choices: bound.choices, signal }
  const forward = form && vendor.forward[form.wire]
  if (form && forward) {
    if ('ask' in form) {
      const answer = await forward(forwardCall(call, form.ask(request.work)))
      const { ignored = [] } = answer
      if (ignored.length === 0 || !form.named) return answer
      return { ...answer, ignored: ignored.map((field) => form.named?.(field, request.work) ?? field) }
    }
    const asks = form.asks(request.work)
    counted?.asked(asks.length)
    return await fanWires(asks, call, (asked, own) => forward(forwardCall(own, asked)))
  }
  const { bridge } = vendor
  const { language } = endpoint
  if (!bridge || !language) throw new VendorFailure('misconfigured', `a ${connection.kind} has no way to answer ${endpoint.name}`)
  counted?.asked(call.choices)
  const skills = bridge.skills(deployment.upstreamModel)
  if (!language.asks) return await bridge.run({ ...call, ask: language.ask(request.work, skills) })
  return await fanParts(language.asks(request.work, skills), call, (ask, own) => bridge.run({ ...own, ask }))
}

const forwardCall = (call: Omit<LanguageCall, 'ask'>, asked: Outgoing): ForwardCall => ({
  ...call,
  body: 'json' in asked ? asked.json : {},
  form: 'form' in asked ? asked.form : null,
})
