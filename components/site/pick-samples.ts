import type { ModelList, ModelRow } from '#lib/contracts/catalog'
import { selectModels } from '../models/query.ts'

const MAX_SHOWN = 6
const isSandbox = (row: ModelRow): boolean => row.ownedBy === 'sandbox'

/** Sandbox models that only fail are for testing one's own code, and are no examples. */
const isUsable = (row: ModelRow): boolean => !(isSandbox(row) && row.id.includes('error'))

interface Samples {
  /** Models for examples of chats and of videos that probably answer. */
  sample: ModelRow | null
  videoSample: ModelRow | null
  shown: ModelRow[]
}

/**
 * What the landing page and the documentation show of the catalog: models for their examples, and a few models from as many
 * vendors and kinds as possible.
 */
export function pickSamples(list: ModelList): Samples {
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
  const sampleOf = (modality: string): ModelRow | null =>
    list.rows.find(({ id }) => id === group?.examples[modality]) ?? rows.find((row) => row.modality === modality) ?? null
  return { sample: sampleOf('chat'), videoSample: sampleOf('video'), shown }
}
