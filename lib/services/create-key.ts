import type { CreatedKey, CreateKeyInput } from '#lib/contracts/keys'
import { addressRange } from './address-range.ts'
import { keyRow } from './key-row.ts'
import type { Ctx, GroupRecord } from './ports.ts'
import { invalidField, ServiceError } from './service-error.ts'

/** Keys that are not revoked. Enough for one per machine of a large team; a list stays readable and bounded. */
export const MAX_KEYS = 200

function checkedModels(models: string[], group: GroupRecord): string[] {
  const unknown = models.find((model) => !group.models.includes(model))
  if (unknown !== undefined) {
    throw invalidField('modelAllow', `The group "${group.name}" has no model "${unknown}". Choose from its models.`)
  }
  return [...new Set(models)]
}

function checkedAddresses(texts: string[]): string[] {
  const ranges = texts.map((text) => {
    const range = addressRange(text)
    if (range === null) {
      throw invalidField('addressAllow', `"${text}" is not an address or a range. Write 203.0.113.7 or 203.0.113.0/24.`)
    }
    return range
  })
  return [...new Set(ranges)]
}

/**
 * Makes a key. Its secret is in the answer and nowhere else afterwards.
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
  const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt)
  if (expiresAt && expiresAt <= now) throw invalidField('expiresAt', 'The expiry lies in the past. Choose a later time.')
  const modelAllow = checkedModels(input.modelAllow, group)
  const addressAllow = checkedAddresses(input.addressAllow)
  if ((await ctx.keys.countUnrevoked(accountId)) >= MAX_KEYS) {
    throw new ServiceError('conflict', `An account has at most ${MAX_KEYS} keys. Revoke one that is not used any more.`)
  }

  const { secret, hmac, hint } = ctx.keySecrets.create()
  const key = {
    id: ctx.ids.create('key'),
    name: input.name,
    hint,
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
  await ctx.keys.create({ ...key, accountId, groupId: group.id, secretHmac: hmac })
  const record = { ...key, groupName: group.name, lastUsedAt: null, revokedAt: null }
  return { key: keyRow(record, undefined, now), secret }
}
