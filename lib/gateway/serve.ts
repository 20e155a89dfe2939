import { Refusal } from '../domain/errors.ts'
import type { BillableEndpoint, Endpoint, PaidEndpoint, ReadEndpoint, TaskEndpoint } from '../wire/endpoint.ts'
import { type Admitted, admit, limitsOf, type Replayed } from './admit.ts'
import type { Answer, IncomingRequest } from './answer.ts'
import { authenticate } from './authenticate.ts'
import { refuseStopped } from './broken.ts'
import { Exchange } from './exchange.ts'
import { endLeft } from './leave.ts'
import type { GatewayPorts } from './ports.ts'
import { mayUse, type Parsed, parse, prepare } from './prepare.ts'
import { reach } from './reach.ts'
import { type HostContext, type Received, receive } from './receive.ts'
import { refuse, replayHeaders, respondJson, respondReplay } from './respond.ts'
import { askedOf } from './said-json.ts'
import { openStream } from './stream.ts'
import { book } from './tasks/book.ts'
import { attend, taskIdOf, waitFor } from './tasks/show.ts'
import { openWhole } from './whole.ts'

/** The whole pipeline of a request. Every endpoint goes through it, and there is no other. */
export async function handle(
  endpoint: Endpoint,
  request: IncomingRequest,
  context: HostContext,
  ports: GatewayPorts,
): Promise<Answer> {
  const receiving = receive(request, context, ports)
  const received = receiving instanceof Promise ? await receiving : receiving
  const exchange = new Exchange(received, endpoint.name, ports)
  try {
    exchange.begin('body' in endpoint ? 'paid' : 'read')
    return 'body' in endpoint ? await sell(endpoint, received, exchange, ports) : await look(endpoint, received, exchange, ports)
  } catch (error) {
    return refuse(error, exchange, ports)
  }
}

async function sell<Input, P>(
  endpoint: BillableEndpoint<Input, P>,
  received: Received,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const finding = authenticate(received, ports)
  const from = finding instanceof Promise ? await finding : finding
  exchange.knows(from)
  // Done before the body is read, because uploads count among the requests that a key and its account may have in flight.
  const entering = exchange.enter(from.caller)
  if (entering !== null) await entering
  const parsed = await parse(from, endpoint, exchange, ports)
  exchange.asks(endpoint.modelOf(parsed.input), endpoint.isStreamed(parsed.input))
  exchange.keeps(() => askedOf(parsed.body.identity, parsed.input, endpoint), parsed.body.heldBytes)
  const prepared = await prepare(parsed, endpoint, ports)
  exchange.pins(prepared.price)
  const gate = await admit(prepared, endpoint, exchange, ports)
  if (gate.kind === 'replayed') return await replay(gate, parsed, endpoint, exchange, ports)
  return endpoint.kind === 'job' ? await book(gate, endpoint, exchange, ports) : await answer(gate, endpoint, exchange, ports)
}

async function answer<Input, P>(
  gate: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const open = endpoint.isStreamed(gate.request.input) ? openStream : openWhole
  try {
    const send = await reach(gate, endpoint, open, exchange, ports)
    return await send()
  } catch (error) {
    if (exchange.stopped) throw refuseStopped()
    if (exchange.left) return await endLeft(gate, endpoint, exchange, ports)
    throw error
  }
}

async function replay<Input, P>(
  gate: Replayed,
  { from, input }: Parsed<Input>,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  if (endpoint.kind === 'paid' || !endpoint.waitsForResult(input)) return respondReplay(exchange.unrecorded(), gate)
  // What was kept is the task as it was booked. A client that waits for its end waits again.
  exchange.handedOver()
  const headers = { ...gate.headers, ...replayHeaders(gate) }
  return await waitFor(from.caller.accountId, taskIdOf(gate.body), endpoint, headers, exchange, ports)
}

async function look(
  endpoint: ReadEndpoint | TaskEndpoint,
  received: Received,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const from = await authenticate(received, ports)
  // Read requests are free and leave no record, so the exchange is not told whose it is.
  await exchange.minute.take(from.caller.keyId, limitsOf(from, ports), 0)
  if (endpoint.kind === 'task') return await attend(endpoint, from, exchange, ports)
  const models = [...from.catalog.models.values()].filter((model) => mayUse(from, model.id))
  const { request, params } = received
  const { accountId } = from.caller
  const answer = await endpoint.read({ models, params, query: new URL(request.url).searchParams, accountId, ports })
  return respondJson(exchange.unrecorded(), JSON.stringify(answer))
}

/** Refuses a method that an address does not have. */
export async function refuseMethod(
  allow: string,
  request: IncomingRequest,
  context: HostContext,
  ports: GatewayPorts,
): Promise<Answer> {
  const refusal = new Refusal('wrong_method', `This address does not support ${request.method.slice(0, 16)}. Use ${allow}.`, {
    headers: { allow },
  })
  return refuse(refusal, new Exchange(await receive(request, context, ports), 'none', ports), ports)
}

/** Refuses an address that does not exist. */
export async function refusePath(request: IncomingRequest, context: HostContext, ports: GatewayPorts): Promise<Answer> {
  const path = new URL(request.url).pathname.slice(0, 200)
  const refusal = new Refusal('unknown_path', `There is no ${path} here. The documentation lists the addresses of this API.`)
  return refuse(refusal, new Exchange(await receive(request, context, ports), 'none', ports), ports)
}
