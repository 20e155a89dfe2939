import { type CatalogModel, priceAt } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { PaidEndpoint, PreparePorts } from '../wire/endpoint.ts'
import { parseJsonObject } from '../wire/json.ts'
import { unknownModel } from '../wire/models.ts'
import { ableModel } from './able.ts'
import type { Authenticated } from './authenticate.ts'
import type { GatewayPorts } from './ports.ts'
import { readBody } from './read-body.ts'

declare const parsed: unique symbol
declare const prepared: unique symbol

/** A request that was read and means something. */
export interface Parsed<Input> {
  readonly [parsed]: true
  readonly from: Authenticated
  readonly bytes: Buffer
  readonly input: Input
}

/** A request whose model, price and size are known. */
export interface Prepared<Input, P> {
  readonly [prepared]: true
  readonly from: Authenticated
  readonly bytes: Buffer
  readonly input: Input
  readonly model: CatalogModel
  /** Pinned: a change of price during the call does not touch it. */
  readonly price: ModelPrice
  readonly work: P
  readonly ports: PreparePorts
}

/** Whether a key may use a model: its group has it, and its own list allows it. */
export function mayUse(from: Authenticated, modelId: string): boolean {
  return from.group.models.has(modelId) && (from.caller.modelAllow === null || from.caller.modelAllow.has(modelId))
}

/** The third stage: reads the body of a sender who is known, and checks it. */
export async function parse<Input, P>(
  from: Authenticated,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): Promise<Parsed<Input>> {
  const bytes = await readBody(from.received.request, ports.settings.maxBodyBytes)
  return { from, bytes, input: endpoint.parse(parseJsonObject(bytes)) } as Parsed<Input>
}

/** The fourth stage: finds the model and its price, and what the endpoint needs to size the request. */
export async function prepare<Input, P>(
  request: Parsed<Input>,
  endpoint: PaidEndpoint<Input, P>,
  ports: GatewayPorts,
): Promise<Prepared<Input, P>> {
  const { from, bytes, input } = request
  const id = endpoint.modelOf(input)
  const model = mayUse(from, id) ? from.catalog.models.get(id) : undefined
  if (!model) throw unknownModel(id)
  if (model.modality !== endpoint.modality)
    throw new Refusal('invalid_request', `The model "${id}" is of the kind "${model.modality}" and does not answer here.`, {
      param: 'model',
    })
  const price = priceAt(model, from.received.at)
  if (!price)
    throw new Refusal('unavailable', `The model "${id}" has no price yet. Tell the operator of this gateway.`, {
      detail: 'no price in force',
    })
  const own: PreparePorts = { model, bodyBytes: bytes.byteLength, countTokens: ports.countTokens }
  const work = await endpoint.prepare(input, own)
  const able = ableModel(model, endpoint, work, ports)
  return { from, bytes, input, model: able, price, work, ports: own } as Prepared<Input, P>
}
