import type { ModelList, ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import { pickChatModel } from '../curl.ts'

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
const answers = ({ id }: ModelRow): boolean => !id.includes('error')

/** The call's group with its models for a mode, and the selected models. */
export interface Choice {
  groups: GroupRow[]
  group: GroupRow
  /** The models of the group that support the mode, vendors before the sandbox. */
  models: ModelRow[]
  model: ModelRow
  /** The second model, in a chat that compares. */
  other: ModelRow | null
}

const byPlace = (a: ModelRow, b: ModelRow): number =>
  Number(a.ownedBy === 'sandbox') - Number(b.ownedBy === 'sandbox') ||
  Number(!answers(a)) - Number(!answers(b)) ||
  (a.id < b.id ? -1 : 1)

/** Something that the address names but that does not exist, and what is called instead. Null if nothing is. */
export interface Gone {
  what: 'group' | 'model' | 'compare'
  name: string
  instead: string | null
}

export interface Chosen {
  /** Null if no model of the group supports the mode. */
  choice: Choice | null
  group: GroupRow | null
  gone: Gone[]
}

/** What the address selects from the catalog for a mode, and what it names that does not exist. */
export function choose({ rows, groups }: ModelList, mode: Mode, address: URLSearchParams): Chosen {
  const gone: Gone[] = []
  const note = (what: Gone['what'], found: string | undefined, instead: string | null) => {
    const name = address.get(what) ?? ''
    if (name !== '' && name !== found) gone.push({ what, name, instead })
  }
  const namedGroup = groups.find(({ name }) => name === address.get('group'))
  const group = namedGroup ?? groups.find(({ isDefault }) => isDefault) ?? groups[0] ?? null
  if (group === null) return { choice: null, group, gone }
  note('group', namedGroup?.name, group.name)
  const models = rows.filter(({ id, modality }) => modality === MODALITY[mode] && group.models.includes(id)).sort(byPlace)
  const named = (what: 'model' | 'compare') => models.find(({ id }) => id === address.get(what))
  const usual = mode === 'chat' ? models.find(({ id }) => id === pickChatModel(models.map((each) => each.id))) : undefined
  const model = named('model') ?? usual ?? models[0]
  const other = mode === 'chat' ? (named('compare') ?? null) : null
  if (model) note('model', named('model')?.id, model.id)
  if (mode === 'chat') note('compare', other?.id, null)
  return { choice: model ? { groups, group, models, model, other } : null, group, gone }
}
