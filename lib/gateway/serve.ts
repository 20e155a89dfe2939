import { Refusal } from '../domain/errors.ts'
import type { BillableEndpoint, Endpoint, PaidEndpoint, ReadEndpoint, TaskEndpoint } from '../wire/endpoint.ts'
import { type Admitted, admit, limitsOf, type Replayed } from './admit.ts'
import type { Answer, IncomingRequest } from './answer.ts'
import { type Authenticated, authenticate, reauthenticate } from './authenticate.ts'
import { callWithFailover } from './call-with-failover.ts'
import { endDisconnected } from './end-disconnected.ts'
import { Exchange } from './exchange.ts'
import { findOfferedModel, listOfferedModels } from './find-model.ts'
import { historyRequestOf } from './history-json.ts'
import { openNonStreaming } from './non-streaming.ts'
import type { GatewayPorts } from './ports.ts'
import { type Parsed, parse, prepare } from './prepare.ts'
import { type HostContext, type Received, receive } from './receive.ts'
import { refuseStopped } from './refuse-stopped.ts'
import { refuse, replayHeaders, respondJson, respondReplay } from './respond.ts'
import { openStream } from './stream.ts'
import { bookTask } from './tasks/book-task.ts'
import { showOrCancelTask, taskIdOf, waitForTask } from './tasks/show-task.ts'

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
    return 'body' in endpoint
      ? await handleBillable(endpoint, received, exchange, ports)
      : await handleFree(endpoint, received, exchange, ports)
  } catch (error) {
    return refuse(error, exchange, ports)
  }
}

async function handleBillable<Input, P>(
  endpoint: BillableEndpoint<Input, P>,
  received: Received,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const authenticating = authenticate(received, ports)
  const from = authenticating instanceof Promise ? await authenticating : authenticating
  exchange.setSender(from)
  // Done before the body is read, because uploads count among the requests that a key and its account may have in flight.
  const entering = exchange.enter(from.caller)
  if (entering !== null) await entering
  const parsed = await parseFresh(from, endpoint, exchange, ports)
  const [named, streamed] = [endpoint.modelOf(parsed.input), endpoint.isStreamed(parsed.input)]
  exchange.setModel(named, streamed)
  exchange.setHistoryRequest(() => historyRequestOf(parsed.body.identity, parsed.input, endpoint), parsed.body.heldBytes)
  const prepared = await prepare(parsed, endpoint, ports)
  if (prepared.model.id !== named) exchange.setModel(prepared.model.id, streamed)
  exchange.pinPrice(prepared.price)
  const admission = await admit(prepared, endpoint, exchange, ports)
  if (admission.kind === 'replayed') return await answerReplay(admission, parsed, endpoint, exchange, ports)
  return endpoint.kind === 'job'
    ? await bookTask(admission, endpoint, exchange, ports)
    : await answerRequest(admission, endpoint, exchange, ports)
}

/** Reads the body. If that took long, the sender and the catalog are those of its end. */
async function parseFresh<Input, P>(
  from: Authenticated,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Parsed<Input>> {
  const parsed = await parse(from, endpoint, exchange, ports)
  const looking = reauthenticate(from, ports)
  if (looking === null) return parsed
  const current = await looking
  exchange.setSender(current)
  return { ...parsed, from: current }
}

async function answerRequest<Input, P>(
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const open = endpoint.isStreamed(admitted.request.input) ? openStream : openNonStreaming
  try {
    const send = await callWithFailover(admitted, endpoint, open, exchange, ports)
    return await send()
  } catch (error) {
    if (exchange.stopped) throw refuseStopped()
    if (exchange.clientGone) return await endDisconnected(admitted, endpoint, exchange, ports)
    throw error
  }
}

async function answerReplay<Input, P>(
  replayed: Replayed,
  { from, input }: Parsed<Input>,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  if (endpoint.kind === 'paid' || !endpoint.waitsForResult(input)) return respondReplay(exchange.endUnrecorded(), replayed)
  // What was kept is the task as it was booked. A client that waits for its end waits again.
  exchange.detach()
  const headers = { ...replayed.headers, ...replayHeaders(replayed) }
  return await waitForTask(from.caller.accountId, taskIdOf(replayed.body), endpoint, headers, exchange, ports)
}

async function handleFree(
  endpoint: ReadEndpoint | TaskEndpoint,
  received: Received,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const from = await authenticate(received, ports)
  // Read requests are free and leave no record, so the exchange is not told whose it is.
  await exchange.minute.take(from.caller.keyId, limitsOf(from, ports), 0)
  if (endpoint.kind === 'task') return await showOrCancelTask(endpoint, from, exchange, ports)
  const { request, params } = received
  const answer = await endpoint.read({
    offeredModels: () => listOfferedModels(from),
    findModel: (name) => findOfferedModel(from, name),
    params,
    query: new URL(request.url).searchParams,
    accountId: from.caller.accountId,
    ports,
  })
  return respondJson(exchange.endUnrecorded(), JSON.stringify(answer))
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
  // Some clients add /v1 to the base URL themselves.
  const hint = /^\/v1\/+v1(?:\/|$)/.test(path)
    ? 'It has /v1 twice: leave it out of the base URL of your client.'
    : 'The documentation lists the addresses of this API.'
  const refusal = new Refusal('unknown_path', `There is no ${path} here. ${hint}`)
  return refuse(refusal, new Exchange(await receive(request, context, ports), 'none', ports), ports)
}
