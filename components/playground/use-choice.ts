'use client'
import { useSearchParams } from 'next/navigation'
import { type ModelRow, modelList } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import { pickChatModel } from '../curl.ts'
import { useApi } from '../use-api.ts'

export const MODES = ['chat', 'images', 'speech', 'transcribe', 'video'] as const
export type Mode = (typeof MODES)[number]

const MODALITY: Record<Mode, string> = {
  chat: 'chat',
  images: 'image',
  speech: 'speech',
  transcribe: 'transcription',
  video: 'video',
}

/** A sandbox's models that only fail are for those who ask for them. */
const answers = ({ id }: ModelRow): boolean => !id.includes('error')

/** What is called: a group with its models for a mode, and the ones that are chosen. */
export interface Choice {
  groups: GroupRow[]
  group: GroupRow
  /** Those of the group that can do it, vendors before the sandbox. */
  models: ModelRow[]
  model: ModelRow
  /** The one beside it, in a chat. */
  other: ModelRow | null
}

const byPlace = (a: ModelRow, b: ModelRow): number =>
  Number(a.ownedBy === 'sandbox') - Number(b.ownedBy === 'sandbox') ||
  Number(!answers(a)) - Number(!answers(b)) ||
  (a.id < b.id ? -1 : 1)

/** Reads from the address and the catalog what is called. `choice` is null where no model of the group can do it. */
export function useChoice(mode: Mode) {
  const params = useSearchParams()
  const { data, error, mutate } = useApi('/api/models', modelList, { revalidateOnFocus: false })
  const groups = data?.groups ?? []
  const group = groups.find(({ name }) => name === params.get('group')) ?? groups.find(({ isDefault }) => isDefault) ?? groups[0]
  const models = (data?.rows ?? [])
    .filter(({ id, modality }) => modality === MODALITY[mode] && group?.models.includes(id))
    .sort(byPlace)
  const named = (name: string) => models.find(({ id }) => id === params.get(name))
  const usual = mode === 'chat' ? models.find(({ id }) => id === pickChatModel(models.map((each) => each.id))) : undefined
  const model = named('model') ?? usual ?? models[0]
  const other = mode === 'chat' ? (named('compare') ?? null) : null
  const choice: Choice | null = group && model ? { groups, group, models, model, other } : null
  return { choice, groups, group, loading: data === undefined && error === undefined, error, retry: () => void mutate() }
}
