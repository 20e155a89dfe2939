import type { CatalogModel, Deployment } from '../domain/catalog.ts'
import { asRefusal, Refusal, refuseField } from '../domain/errors.ts'
import { type Form, stripArraySuffix } from '../domain/form.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { BillableEndpoint, PaidEndpoint } from '../wire/endpoint.ts'
import type { JsonObject } from '../wire/json.ts'
import type { AnyForm } from '../wire/vendor-form.ts'
import { findForm } from './find-form.ts'
import type { GatewayPorts } from './ports.ts'

/** The model, reduced to the deployments whose vendor makes videos. */
export function withVideoDeployments(model: CatalogModel, ports: Pick<GatewayPorts, 'vendor'>): CatalogModel {
  const deployments = model.deployments.filter(({ connection }) => ports.vendor(connection)?.videos !== undefined)
  return deployments.length === model.deployments.length ? model : { ...model, deployments }
}

/**
 * The model, reduced to the deployments that can be given this request. If there are none, throws what the first one cannot
 * be given: a 400, before limits are counted or money is held.
 */
export function withEligibleDeployments<Input, P>(
  model: CatalogModel,
  endpoint: BillableEndpoint<Input, P>,
  work: P,
  ports: GatewayPorts,
): CatalogModel {
  if (endpoint.kind === 'job') {
    const eligible = withVideoDeployments(model, ports)
    if (eligible.deployments.length > 0) return eligible
    if (model.deployments.some(({ connection }) => ports.vendor(connection))) throw refuseUnsupportedEndpoint(model, endpoint)
    throw new Refusal('unavailable', `The model "${model.id}" has no deployment that can answer now. Try again later.`, {
      retryAfter: 30,
      detail: 'no deployment',
    })
  }
  const refusals: (Refusal | 'unsupported')[] = []
  const deployments = model.deployments.filter((deployment) => {
    const refusal = findRefusal(deployment, model, endpoint, work, ports)
    if (refusal) refusals.push(refusal)
    return refusal === null
  })
  if (refusals.length === 0) return model
  if (deployments.length > 0) return { ...model, deployments }
  // A field that the client can change comes before an endpoint that other vendors of the model have.
  throw refusals.find((refusal) => refusal !== 'unsupported') ?? refuseUnsupportedEndpoint(model, endpoint)
}

/** What keeps a deployment from being given this request. An error takes its stack, which is slow, so it is made only if needed. */
function findRefusal<Input, P>(
  { connection, upstreamModel }: Deployment,
  model: CatalogModel,
  endpoint: PaidEndpoint<Input, P>,
  work: P,
  ports: GatewayPorts,
): Refusal | 'unsupported' | null {
  const vendor = ports.vendor(connection)
  if (!vendor) return null
  try {
    const form = findForm(endpoint, model, vendor)
    if (form) {
      form.check?.(work)
      return vendorRefusalOf(vendor, form, work)
    }
    if (!vendor.bridge || !endpoint.language) return 'unsupported'
    endpoint.language.ask(work, vendor.bridge.skills(upstreamModel))
    return null
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal) return refusal
    throw error
  }
}

/** The 400 for a vendor that has no such endpoint, such as one that transcribes speech but does not translate it. */
export const refuseUnsupportedEndpoint = ({ id }: CatalogModel, { name }: { name: string }, detail?: string): Refusal =>
  new Refusal(
    'invalid_request',
    `The vendor of the model "${id}" does not offer POST /v1/${name.replaceAll('.', '/')}. Use another model.`,
    { param: 'model', ...(detail === undefined ? {} : { detail }) },
  )

/** The 400 that names a field which this vendor's own wire cannot take; null if it takes all. */
function vendorRefusalOf<P>(vendor: Vendor, form: AnyForm<P>, work: P): Refusal | null {
  if (!vendor.findRefusedParameter) return null
  for (const outgoing of 'ask' in form ? [form.ask(work)] : form.askAll(work)) {
    const refused = vendor.findRefusedParameter(form.wire, 'json' in outgoing ? outgoing.json : textFieldsOf(outgoing.form))
    if (!refused) continue
    const param = form.requestFieldOf?.(refused.param, work) ?? refused.param
    return refuseField(param, refused.message)
  }
  return null
}

/** A form's texts, to look for a field among them. Unlike what fieldsOf() reads, they may appear several times. */
const textFieldsOf = ({ parts }: Form): JsonObject =>
  Object.fromEntries(parts.flatMap((part) => ('value' in part ? [[stripArraySuffix(part.name), part.value]] : [])))
