import type { CatalogFile } from '#lib/contracts/catalog-file'
import type { ModelFacts } from '../../domain/catalog.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import { parseDecimal } from '../../domain/money.ts'
import { parseRates } from '../../domain/price.ts'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { asServiceError, invalidField } from '../service-error.ts'
import { checkSizes, pricesEqual, validateRates } from './model-values.ts'
import type { CatalogChange, ModelValues } from './operator-ports.ts'
import { planConnection } from './plan-connection.ts'
import { type FullCatalog, type FullModel, isActive, type PlanStep, readCatalog } from './read-catalog.ts'
import { createClosedDefaultError } from './update-group.ts'

type PlanContext = Ctx<'catalogReads' | 'clock' | 'ids' | 'sealing'> & {
  /** Reads an environment variable, for secrets. */
  env: (name: string) => string | undefined
}

/** The wanted values that differ from the current ones. */
function diffFields<T extends object>(wanted: T, current: object): Partial<T> {
  const currentFields = current as Record<string, unknown>
  const canonical = (value: unknown) =>
    JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sortKeys(inner) : inner))
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => canonical(value ?? null) !== canonical(currentFields[name] ?? null)),
  ) as Partial<T>
}

const sortKeys = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Checks a part of the file. Errors name the place in the file, where the field `rates` is called `price`. */
function withFieldPrefix<T>(prefix: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    const known = asServiceError(error)
    if (!known?.field) throw error
    throw invalidField(`${prefix}.${known.field === 'rates' ? 'price' : known.field}`, known.descriptor)
  }
}

const namesOf = (value: object): string => Object.keys(value).join(', ')

/** A price from the file in nano-dollars per million units. */
const toNanos = (price: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(price).map(([unit, text]) => [unit, String(parseDecimal(text) ?? 0n)]))

function planPrice(
  id: string,
  entry: CatalogFile['models'][string],
  current: FullModel | undefined,
  ctx: PlanContext,
): PlanStep[] {
  const rates = toNanos(entry.price)
  const vendorRates = toNanos(entry.vendorPrice ?? entry.price)
  if (current?.rates && pricesEqual(current.rates, rates) && pricesEqual(current.vendorRates, vendorRates)) return []
  const value = {
    modelId: id,
    startsAt: null,
    rates: withFieldPrefix(`models.${id}`, () => validateRates(entry.modality, rates)),
    vendorRates: parseRates(vendorRates),
    note: '',
  }
  const priceTexts = Object.entries(entry.price).map(([unit, text]) => `${unit} ${text}`)
  return [
    { change: { do: 'add', target: 'price', id: ctx.ids.create('prc'), value }, line: `price ${id}: ${priceTexts.join(', ')}` },
  ]
}

/** Connections by name: the ids of all, and which are in use after the file is applied. */
interface PlannedConnections {
  ids: Map<string, string>
  used: Set<string>
}

function planDeployments(
  id: string,
  entry: CatalogFile['models'][string],
  current: FullModel | undefined,
  { ids, used }: PlannedConnections,
  ctx: PlanContext,
): PlanStep[] {
  const wanted = entry.deployments.map(({ connection, model, ...fields }, index): PlanStep[] => {
    if (entry.deployments.findIndex((other) => other.connection === connection && other.model === model) < index)
      throw invalidField(
        `models.${id}.deployments`,
        messageWith('"{model}" on the connection "{connection}" is listed twice.', { model, connection }),
      )
    const connectionId = ids.get(connection)
    if (!connectionId)
      throw invalidField(`models.${id}.deployments`, messageWith('There is no connection "{connection}".', { connection }))
    if (!used.has(connection))
      throw invalidField(
        `models.${id}.deployments`,
        messageWith('The connection "{connection}" is archived. Restore it first.', { connection }),
      )
    const name = `deployment ${id} on ${connection} (${model})`
    const found = current?.runs.find((run) => run.connectionId === connectionId && run.upstreamModel === model)
    if (!found) {
      const value = { ...fields, modelId: id, connectionId, upstreamModel: model }
      return [{ change: { do: 'add', target: 'deployment', id: ctx.ids.create('dep'), value }, line: `+ ${name}` }]
    }
    const value = { ...diffFields(fields, found), ...(found.archivedAt ? { archived: false } : {}) }
    if (Object.keys(value).length === 0) return []
    return [
      {
        change: { do: 'set', target: 'deployment', id: found.id, version: found.version, value },
        line: `~ ${name}: ${namesOf(value)}`,
      },
    ]
  })
  // A model in the file runs only where the file says. On archived connections, which no file names, it does not run anyway.
  const wantedKeys = entry.deployments.map(({ connection, model }) => `${ids.get(connection)}\n${model}`)
  const archiveSteps = (current?.runs ?? [])
    .filter(
      (run) =>
        run.archivedAt === null &&
        used.has(run.connectionName) &&
        !wantedKeys.includes(`${run.connectionId}\n${run.upstreamModel}`),
    )
    .map(
      (run): PlanStep => ({
        change: { do: 'set', target: 'deployment', id: run.id, version: run.version, value: { archived: true } },
        line: `- deployment ${id} on ${run.connectionName} (${run.upstreamModel})`,
      }),
    )
  return [...wanted.flat(), ...archiveSteps]
}

function planModels(file: CatalogFile, now: FullCatalog, known: PlannedConnections, ctx: PlanContext): PlanStep[] {
  return Object.entries(file.models).flatMap(([id, entry]) => {
    const { price: _price, vendorPrice: _vendor, deployments: _runs, ...rest } = entry
    withFieldPrefix(`models.${id}`, () => checkSizes(rest))
    const fields: ModelValues = { ...rest, facts: rest.facts as ModelFacts }
    const current = now.models.get(id)
    const value = current && { ...diffFields(fields, current), ...(current.archivedAt ? { archived: false } : {}) }
    const own: PlanStep[] = !current
      ? [{ change: { do: 'add', target: 'model', id, value: fields }, line: `+ model ${id}` }]
      : Object.keys(value ?? {}).length === 0
        ? []
        : [
            {
              change: { do: 'set', target: 'model', id, version: current.version, value: value ?? {} },
              line: `~ model ${id}: ${namesOf(value ?? {})}`,
            },
          ]
    return [...own, ...planPrice(id, entry, current, ctx), ...planDeployments(id, entry, current, known, ctx)]
  })
}

/** Errors: `invalid_input` if several groups would become the default, or if the default would not be open to all. */
function checkDefaultGroup({ groups }: CatalogFile, now: FullCatalog): void {
  const [chosen, second] = Object.keys(groups).filter((name) => groups[name]?.default)
  if (second !== undefined) throw invalidField(`groups.${second}.default`, 'Only one group can be the default.')
  const name = chosen ?? [...now.groups.values()].find(({ isDefault }) => isDefault)?.name
  if (name !== undefined && groups[name]?.open === false) throw createClosedDefaultError(`groups.${name}.open`)
}

function planGroups(file: CatalogFile, now: FullCatalog, ctx: PlanContext): PlanStep[] {
  checkDefaultGroup(file, now)
  // The default group comes last, because it changes the version of the previous default group, which was read before.
  const groups = Object.entries(file.groups).sort(([, one], [, other]) => Number(one.default) - Number(other.default))
  return groups.flatMap(([name, { models, default: isDefault, ...fields }]): PlanStep[] => {
    const unknown = models.find((id) => !now.models.has(id) && !(id in file.models))
    if (unknown !== undefined)
      throw invalidField(`groups.${name}.models`, messageWith('There is no model "{model}".', { model: unknown }))
    const current = now.groups.get(name)
    const id = current?.id ?? ctx.ids.create('grp')
    const inside = new Set(current?.modelIds)
    const moves = {
      addModels: models.filter((model) => !inside.has(model)),
      removeModels: [...inside].filter(
        (model) => !models.includes(model) && (isActive(now.models.get(model)) || model in file.models),
      ),
      addAccounts: [],
      removeAccounts: [],
    }
    const moved = [...moves.addModels.map((model) => `+${model}`), ...moves.removeModels.map((model) => `-${model}`)]
    const steps: PlanStep[] = []
    const wanted = { ...fields, ...(isDefault ? { isDefault } : {}) }
    const value = current ? { ...diffFields(wanted, current), ...(current.archivedAt ? { archived: false } : {}) } : {}
    if (!current)
      steps.push({ change: { do: 'add', target: 'group', id, value: { ...fields, name, isDefault } }, line: `+ group ${name}` })
    if (moved.length > 0 || Object.keys(value).length > 0) {
      const change: CatalogChange = { do: 'set', target: 'group', id, version: current?.version ?? null, value, moves }
      steps.push({ change, line: `~ group ${name}: ${[...Object.keys(value), ...moved].join(', ')}` })
    }
    return steps
  })
}

/**
 * Plans the changes that make the catalog match a file. What the file does not name stays as it is, except for the deployments
 * and group members of what it names. Applying the same file again changes nothing.
 * Errors: `invalid_input`, naming the place in the file.
 */
export async function planCatalog({ ctx, input }: { ctx: PlanContext; input: CatalogFile }): Promise<PlanStep[]> {
  const now = await readCatalog(ctx)
  const ids = new Map([...now.connections].map(([name, row]) => [name, row.id]))
  const connections = Object.entries(input.connections).flatMap(([name, entry]): PlanStep[] => {
    const step = withFieldPrefix(`connections.${name}`, () => planConnection(name, entry, now.connections.get(name), ctx))
    if (step) ids.set(name, step.change.id)
    return step ? [step] : []
  })
  const used = new Set([...ids.keys()].filter((name) => name in input.connections || isActive(now.connections.get(name))))
  return [...connections, ...planModels(input, now, { ids, used }, ctx), ...planGroups(input, now, ctx)]
}
