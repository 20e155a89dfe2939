import type { ModelList, ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'

export const MODES = ['chat', 'images', 'speech', 'transcribe', 'video'] as const
export type Mode = (typeof MODES)[number]

const MODALITY: Record<Mode, string> = {
  chat: 'chat',
  images: 'image',
  speech: 'speech',
  transcribe: 'transcription',
  video: 'video',
}

/** Sandbox models that only fail are not a default. They have to be requested. */
const isUsable = ({ id }: ModelRow): boolean => !id.includes('error')

/** The call's group with its models for a mode, and the selected models. */
export interface ModelSelection {
  groups: GroupRow[]
  group: GroupRow
  /** The models of the group that support the mode, vendors before the sandbox. */
  models: ModelRow[]
  model: ModelRow
  /** The second model, in a chat that compares. */
  other: ModelRow | null
}

const byPreference = (a: ModelRow, b: ModelRow): number =>
  Number(a.ownedBy === 'sandbox') - Number(b.ownedBy === 'sandbox') ||
  Number(!isUsable(a)) - Number(!isUsable(b)) ||
  (a.id < b.id ? -1 : 1)

/** Something that the address names but that does not exist, and what is called instead. Null if nothing is. */
export interface UnavailableName {
  what: 'group' | 'model' | 'compare'
  name: string
  instead: string | null
}

export interface SelectionResult {
  /** Null if no model of the group supports the mode. */
  choice: ModelSelection | null
  group: GroupRow | null
  unavailable: UnavailableName[]
}

/** What the address selects from the catalog for a mode, and what it names that does not exist. */
export function selectModel({ rows, groups }: ModelList, mode: Mode, searchParams: URLSearchParams): SelectionResult {
  const unavailable: UnavailableName[] = []
  const recordUnavailable = (what: UnavailableName['what'], found: string | undefined, instead: string | null) => {
    const name = searchParams.get(what) ?? ''
    if (name !== '' && name !== found) unavailable.push({ what, name, instead })
  }
  const namedGroup = groups.find(({ name }) => name === searchParams.get('group'))
  const group = namedGroup ?? groups.find(({ isDefault }) => isDefault) ?? groups[0] ?? null
  if (group === null) return { choice: null, group, unavailable }
  recordUnavailable('group', namedGroup?.name, group.name)
  const models = rows.filter(({ id, modality }) => modality === MODALITY[mode] && group.models.includes(id)).sort(byPreference)
  const findNamed = (what: 'model' | 'compare') => models.find(({ id }) => id === searchParams.get(what))
  const defaultModel = models.find(({ id }) => id === group.examples[MODALITY[mode]])
  const model = findNamed('model') ?? defaultModel ?? models[0]
  const other = mode === 'chat' ? (findNamed('compare') ?? null) : null
  if (model) recordUnavailable('model', findNamed('model')?.id, model.id)
  if (mode === 'chat') recordUnavailable('compare', other?.id, null)
  return { choice: model ? { groups, group, models, model, other } : null, group, unavailable }
}
