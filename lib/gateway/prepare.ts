import { type CatalogModel, priceAt } from '../domain/catalog.ts'
import { Refusal, refuseField } from '../domain/errors.ts'
import { valuesOf } from '../domain/form.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { BillableEndpoint, PreparePorts } from '../wire/endpoint.ts'
import { parseJsonObject } from '../wire/json.ts'
import type { IncomingRequest } from './answer.ts'
import type { Authenticated } from './authenticate.ts'
import { withEligibleDeployments } from './eligible-deployments.ts'
import type { Exchange } from './exchange.ts'
import { findModel } from './find-model.ts'
import { refusedBody, refusedForm } from './history-json.ts'
import type { GatewayPorts } from './ports.ts'
import { isJson, readBody } from './read-body.ts'
import { readForm } from './read-form.ts'
import { readJsonForm } from './read-json-form.ts'
import { readStoppable } from './stoppable-body.ts'

declare const parsed: unique symbol
declare const prepared: unique symbol

/** What later stages need to know about a body besides its contents. */
export interface BodyFacts {
  /** What distinguishes it from every other body: a JSON body itself, or the digest of a form's contents. */
  readonly identity: Buffer
  /** How many of its bytes can be text: all of a JSON body; in a form, all that is not in files. */
  readonly textBytes: number
  /** Roughly how many bytes the parsed body holds in memory. */
  readonly heldBytes: number
}

/** A request that was read and is valid. */
export interface Parsed<Input> {
  readonly [parsed]: true
  readonly from: Authenticated
  readonly body: BodyFacts
  readonly input: Input
}

/** A request whose model, price and size are known. */
export interface Prepared<Input, P> {
  readonly [prepared]: true
  readonly from: Authenticated
  readonly body: BodyFacts
  readonly input: Input
  readonly model: CatalogModel
  /** Pinned: a price change during the call does not affect it. */
  readonly price: ModelPrice
  readonly work: P
  readonly ports: PreparePorts
}

/** The third stage: reads and checks the body of a known sender. The exchange gets what has to be disposed of. */
export async function parse<Input, P>(
  from: Authenticated,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Parsed<Input>> {
  return await readStoppable(exchange, (request) => readAndParse(request, from, endpoint, exchange, ports))
}

async function readAndParse<Input, P>(
  request: IncomingRequest,
  from: Authenticated,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Parsed<Input>> {
  const { maxBodyBytes, maxUploadBytes } = ports.settings
  const { accountId } = from.caller
  const takeBodyBytes = (more: number) => exchange.resources.takeBodyBytes(accountId, more)
  if (endpoint.body.kind === 'json') {
    const bytes = await readBody(request, maxBodyBytes, takeBodyBytes)
    const body: BodyFacts = { identity: bytes, textBytes: bytes.byteLength, heldBytes: bytes.byteLength }
    const object = parseJsonObject(bytes)
    const keepRefused = () => exchange.setHistoryRequest(() => refusedBody(object), body.heldBytes)
    return { from, body, input: parseNamed(object, object.model, endpoint.parse, exchange, keepRefused) } as Parsed<Input>
  }
  const { jsonFields } = endpoint.body
  const read =
    jsonFields && isJson(request)
      ? await readJsonForm(
          await readBody(request, maxBodyBytes, takeBodyBytes),
          { ...endpoint.body, jsonFields },
          ports.spool,
          accountId,
        )
      : await readForm(request, endpoint.body, ports.spool, accountId, { maxBytes: maxUploadBytes })
  exchange.resources.setFiles(read.dispose)
  const body: BodyFacts = { identity: read.digest, textBytes: read.textBytes, heldBytes: read.heldBytes }
  const [model] = valuesOf(read.form, 'model')
  const keepRefused = () => exchange.setHistoryRequest(() => refusedForm(read.form), body.textBytes)
  return { from, body, input: parseNamed(read.form, model, endpoint.parse, exchange, keepRefused) } as Parsed<Input>
}

/** Parses a body. If it is refused, its record still says which model it was for, and its history what was sent. */
function parseNamed<Raw, Input>(
  raw: Raw,
  model: unknown,
  parse: (raw: Raw) => Input,
  exchange: Exchange,
  keepRefused: () => void,
): Input {
  try {
    return parse(raw)
  } catch (error) {
    if (typeof model === 'string') exchange.setModel(model, false)
    keepRefused()
    throw error
  }
}

/** The fourth stage: finds the model and its price, and what the endpoint needs to size the request. */
export async function prepare<Input, P>(
  request: Parsed<Input>,
  endpoint: BillableEndpoint<Input, P>,
  ports: GatewayPorts,
): Promise<Prepared<Input, P>> {
  const { from, body, input } = request
  const model = findModel(from, endpoint.modelOf(input))
  const { id } = model
  if (!endpoint.modalities.includes(model.modality))
    throw refuseField('model', `The model "${id}" is of the kind "${model.modality}", which this endpoint does not serve.`)
  const price = priceAt(model, from.at)
  if (!price)
    throw new Refusal('unavailable', `The model "${id}" has no price yet. Tell the operator of this gateway.`, {
      detail: 'no price in force',
    })
  const { accountId, keepHistory } = from.caller
  const { countTokens, decodeTokens, audioSeconds, responses } = ports
  const known = { model, price, accountId, keepHistory, bodyBytes: body.textBytes }
  const supportsWire = (wire: WireId) =>
    model.deployments.some(({ connection }) => ports.vendor(connection)?.forward[wire] !== undefined)
  const preparePorts: PreparePorts = { ...known, supportsWire, responses, countTokens, decodeTokens, audioSeconds }
  const preparing = endpoint.prepare(input, preparePorts)
  const work = preparing instanceof Promise ? await preparing : preparing
  const eligible = withEligibleDeployments(model, endpoint, work, ports)
  return { from, body, input, model: eligible, price, work, ports: preparePorts } as Prepared<Input, P>
}
