import type { ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import type { ModelSize } from '#lib/domain/catalog'
import { leadPrice } from './rates.ts'

export const SORTS = ['name', 'newest', 'price', 'context'] as const
export type Sort = (typeof SORTS)[number]

/** The options of the filters: dollars per million input tokens, and context tokens. */
export const PRICES = ['0.25', '1', '3', '10'] as const
export const CONTEXTS = [32_000, 128_000, 200_000, 1_000_000] as const
/** As many as fit side by side. */
export const MAX_COMPARED = 4

/** What the reader wants to see. Kept in the address, so that it can be shared as a link. */
export interface Query {
  text: string
  modality: string | null
  vendor: string | null
  /** One of PRICES. */
  price: string | null
  /** One of CONTEXTS. */
  context: number | null
  sort: Sort
  group: GroupRow | null
  /** Ids of existing models, in the order of selection. */
  compare: string[]
}

const oneOf = <T>(all: readonly T[], value: T): T | null => (all.includes(value) ? value : null)

/** Reads the address. Invalid values are ignored, and an unknown group is replaced by the default one. */
export function readQuery(
  params: { get(name: string): string | null },
  rows: readonly ModelRow[],
  groups: readonly GroupRow[],
): Query {
  const known = new Set(rows.map(({ id }) => id))
  const compare = (params.get('compare') ?? '').split(',').filter((id) => known.has(id))
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    modality: oneOf(
      rows.map((row) => row.modality),
      params.get('modality') ?? '',
    ),
    vendor: oneOf(
      rows.map((row) => row.ownedBy),
      params.get('vendor') ?? '',
    ),
    price: oneOf<string>(PRICES, params.get('price') ?? ''),
    context: oneOf<number>(CONTEXTS, Number(params.get('context'))),
    sort: (oneOf<string>(SORTS, params.get('sort') ?? '') as Sort | null) ?? 'name',
    group:
      groups.find(({ name }) => name === params.get('group')) ?? groups.find(({ isDefault }) => isDefault) ?? groups[0] ?? null,
    compare: [...new Set(compare)].slice(0, MAX_COMPARED),
  }
}

export const factorOf = (group: GroupRow | null): bigint => BigInt(group?.multiplierBp ?? 10_000)

/** Whether a model works with text tokens. A context size means nothing for others. */
export const hasContext = ({ modality }: Pick<ModelRow, 'modality'>): boolean =>
  modality === 'chat' || modality === 'completion' || modality === 'embedding'

/** Whether a model's output length can be limited. Embeddings have none. */
export const hasOutput = (model: Pick<ModelRow, 'modality' | 'maxOutput'>): boolean =>
  hasContext(model) && model.modality !== 'embedding' && model.maxOutput > 0

/** How a size is written: one that nobody has stated is only about right. */
export const sizeText = (
  { facts }: { facts: { assumed?: readonly ModelSize[] | undefined } },
  size: ModelSize,
  text: string,
): string => (facts.assumed?.includes(size) ? `≈\u00a0${text}` : text)

const toNano = (dollars: string): bigint => BigInt(Math.round(Number(dollars) * 100)) * 10_000_000n

function matchesQuery(row: ModelRow, query: Query, members: ReadonlySet<string>, multiplierBp: bigint): boolean {
  const terms = query.text.toLowerCase().split(/\s+/).filter(Boolean)
  const searchText = `${row.id} ${row.ownedBy} ${row.modality} ${row.capabilities.join(' ')}`.toLowerCase()
  if (!members.has(row.id) || !terms.every((word) => searchText.includes(word))) return false
  if (query.modality !== null && row.modality !== query.modality) return false
  if (query.vendor !== null && row.ownedBy !== query.vendor) return false
  if (query.context !== null && (!hasContext(row) || row.contextWindow < query.context)) return false
  if (query.price === null) return true
  const lead = leadPrice(row, multiplierBp)
  return lead?.unit === 'input' && lead.rate <= toNano(query.price)
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/** Simulated models come last, because nobody looks for them among those for sale. */
const sandboxRank = (row: ModelRow): number => (row.ownedBy === 'sandbox' ? 1 : 0)

/** Compares prices only within the same kind of unit: a second of video cannot be compared with a token. */
function byPrice(a: ModelRow, b: ModelRow, multiplierBp: bigint): number {
  const [left, right] = [leadPrice(a, multiplierBp), leadPrice(b, multiplierBp)]
  if (!left || !right) return left ? -1 : right ? 1 : 0
  const kind = (unit: string) => (unit === 'input' ? '' : (unit.split(':', 1)[0] ?? ''))
  return byText(kind(left.unit), kind(right.unit)) || (left.rate < right.rate ? -1 : left.rate > right.rate ? 1 : 0)
}

/** The matching rows in the requested order. Equal ones are sorted by name. */
export function selectModels(rows: readonly ModelRow[], query: Query): ModelRow[] {
  const members = new Set(query.group?.models ?? [])
  const multiplierBp = factorOf(query.group)
  const orders: Record<Sort, (a: ModelRow, b: ModelRow) => number> = {
    name: (a, b) => sandboxRank(a) - sandboxRank(b),
    newest: (a, b) => byText(b.createdAt, a.createdAt),
    price: (a, b) => byPrice(a, b, multiplierBp),
    context: (a, b) => (hasContext(b) ? b.contextWindow : 0) - (hasContext(a) ? a.contextWindow : 0),
  }
  return rows
    .filter((row) => matchesQuery(row, query, members, multiplierBp))
    .sort((a, b) => orders[query.sort](a, b) || byText(a.id, b.id))
}
