import type { GroupRow } from '#lib/contracts/keys'
import type { Catalog } from './catalog-ports.ts'
import type { Clock } from './ports.ts'

/** The groups that an account's keys may be bound to, each with its examples. */
export async function groupsWithExamples(
  { catalog, clock }: { catalog: Catalog; clock: Clock },
  accountId: string | null,
): Promise<GroupRow[]> {
  const [groups, examples] = await Promise.all([catalog.groups(accountId), catalog.examples(clock.now())])
  const examplesByGroup = Map.groupBy(examples, ({ groupId }) => groupId)
  return groups.map((group) => ({
    ...group,
    examples: Object.fromEntries((examplesByGroup.get(group.id) ?? []).map(({ modality, modelId }) => [modality, modelId])),
  }))
}
