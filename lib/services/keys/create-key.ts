import type { CreatedKey, CreateKeyInput } from '#lib/contracts/keys'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { validateAddresses, validateExpiry, validateModels } from './key-checks.ts'
import { keyRow } from './key-row.ts'

/**
 * The maximum number of keys that are not revoked. Enough for one per machine of a large team, while the list stays readable and
 * bounded.
 */
export const MAX_KEYS = 200

/**
 * Creates a key. The secret is only in this answer and cannot be read later.
 * Errors: `invalid_input` (groupId, modelAllow, addressAllow, expiresAt), `conflict` at MAX_KEYS keys.
 */
export async function createKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'catalog' | 'keys' | 'keySecrets'>
  input: CreateKeyInput
}): Promise<CreatedKey> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const groups = await ctx.catalog.groups(accountId)
  const group = groups.find(({ id }) => id === input.groupId)
  if (!group) throw invalidField('groupId', 'This model group does not exist. Choose another one.')
  const expiresAt = validateExpiry(input.expiresAt, now)
  const modelAllow = validateModels(input.modelAllow, group)
  const addressAllow = validateAddresses(input.addressAllow)
  const { secret, hmac, hint } = ctx.keySecrets.create()
  const key = {
    id: ctx.ids.create('key'),
    name: input.name,
    hint,
    groupId: group.id,
    createdAt: now,
    expiresAt,
    limitTotalNano: input.limitTotalNano === null ? null : BigInt(input.limitTotalNano),
    limitMonthNano: input.limitMonthNano === null ? null : BigInt(input.limitMonthNano),
    modelAllow,
    addressAllow,
    rpm: input.rpm,
    tpm: input.tpm,
    historyEnabled: input.historyEnabled,
  }
  if (!(await ctx.keys.create({ ...key, accountId, secretHmac: hmac }, MAX_KEYS))) {
    throw new ServiceError(
      'conflict',
      messageWith('An account can have at most {most} keys. Revoke one that is no longer used.', { most: MAX_KEYS }),
    )
  }
  const record = { ...key, groupName: group.name, lastUsedAt: null, revokedAt: null, former: [] }
  return { key: keyRow(record, undefined, now), secret }
}
