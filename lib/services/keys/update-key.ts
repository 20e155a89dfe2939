import type { KeyRow, UpdateKeyInput } from '#lib/contracts/keys'
import type { GroupRecord } from '../catalog-ports.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { getKey } from './get-key.ts'
import { validateAddresses, validateExpiry, validateModels } from './key-checks.ts'
import { createKeyNotFoundError } from './key-not-found.ts'
import type { KeyRecord, KeySettings } from './key-ports.ts'

const nanoOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

function settingsOf(input: UpdateKeyInput, key: KeyRecord, group: GroupRecord, now: Date): KeySettings {
  const { name, expiresAt, limitTotalNano, limitMonthNano, modelAllow, addressAllow, rpm, tpm, historyEnabled } = input
  return {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expiresAt: validateExpiry(expiresAt, now) }),
    ...(limitTotalNano === undefined ? {} : { limitTotalNano: nanoOf(limitTotalNano) }),
    ...(limitMonthNano === undefined ? {} : { limitMonthNano: nanoOf(limitMonthNano) }),
    ...(modelAllow === undefined ? {} : { modelAllow: validateModels(modelAllow, group, key.modelAllow) }),
    ...(addressAllow === undefined ? {} : { addressAllow: validateAddresses(addressAllow) }),
    ...(rpm === undefined ? {} : { rpm }),
    ...(tpm === undefined ? {} : { tpm }),
    ...(historyEnabled === undefined ? {} : { historyEnabled }),
  }
}

/**
 * Changes the named settings of a key, in force everywhere within a second. Requests in flight continue under the settings they
 * started with. An expired key whose expiry is extended is valid again.
 * Errors: `invalid_input` (modelAllow, addressAllow, expiresAt), `not_found`, `conflict` for a revoked key.
 */
export async function updateKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'catalog' | 'keyChanges' | 'usage'>
  input: UpdateKeyInput
}): Promise<{ key: KeyRow }> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const key = await ctx.keyChanges.find(accountId, input.id)
  if (key === null) throw createKeyNotFoundError()
  const groups = await ctx.catalog.groups(accountId)
  const emptyGroup: GroupRecord = {
    id: key.groupId,
    name: key.groupName,
    description: '',
    multiplierBp: 0,
    isDefault: false,
    models: [],
  }
  const group = groups.find(({ id }) => id === key.groupId) ?? emptyGroup
  const outcome = await ctx.keyChanges.update(accountId, key.id, settingsOf(input, key, group, now), now)
  if (outcome === 'not_found') throw createKeyNotFoundError()
  if (outcome === 'revoked') throw new ServiceError('conflict', 'This key is revoked and cannot be changed. Create a new one.')
  return getKey({ ctx, input: { id: key.id } })
}
