import type { ModelList, ModelRow } from '#lib/contracts/catalog'
import { selectModels } from '../models/query.ts'

const MAX_SHOWN = 6
const isSandbox = (row: ModelRow): boolean => row.ownedBy === 'sandbox'

/** Sandbox models that only fail are for testing one's own code, and are no examples. */
const isUsable = (row: ModelRow): boolean => !(isSandbox(row) && row.id.includes('error'))

/**
 * What the landing page shows of the catalog: a chat model for its example, from a real vendor if there is one, and a few
 * models from as many vendors and kinds as possible.
 */
export function pickSamples(list: ModelList): { sample: ModelRow | null; shown: ModelRow[] } {
  const group = list.groups.find(({ isDefault }) => isDefault) ?? list.groups[0] ?? null
  const query = {
    text: '',
    modality: null,
    vendor: null,
    price: null,
    context: null,
    sort: 'newest',
    group,
    compare: [],
  } as const
  const all = selectModels(list.rows, { ...query, compare: [] }).filter(isUsable)
  const rows = all.some((row) => !isSandbox(row)) ? all.filter((row) => !isSandbox(row)) : all
  const kinds = Map.groupBy(rows, (row) => `${row.ownedBy} ${row.modality}`)
  // One of each kind in turn, until there are enough.
  const ranked = [...kinds.values()].flatMap((kind) => kind.map((row, turn) => ({ row, turn })))
  const shown = ranked
    .sort((a, b) => a.turn - b.turn)
    .slice(0, MAX_SHOWN)
    .map(({ row }) => row)
  const chats = rows.filter(({ modality }) => modality === 'chat')
  return { sample: chats[0] ?? null, shown }
}
