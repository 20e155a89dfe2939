import { z } from 'zod'
import { count, nano, pageLimit, pageSchema, singleLine, time } from './common.ts'
import { INVALID_CURSOR } from './cursor.ts'

/** Positive amount of money as a string of nano-dollars. */
const limit = nano.refine((value) => BigInt(value) > 0n && BigInt(value) <= 1_000_000_000_000_000_000n)
/** One address or a range: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`. */
const addressRange = z.string().trim().min(2).max(49)

const keySettings = {
  name: singleLine(80),
  expiresAt: time.nullable(),
  limitTotalNano: limit.nullable(),
  limitMonthNano: limit.nullable(),
  modelAllow: z.array(z.string().min(1).max(200)).max(200),
  addressAllow: z.array(addressRange).max(50),
  rpm: z.number().int().min(1).max(1_000_000).nullable(),
  tpm: z.number().int().min(1).max(1_000_000_000).nullable(),
  historyEnabled: z.boolean(),
}

export const createKeyInput = z.strictObject({
  name: keySettings.name,
  groupId: z.string().min(1).max(64),
  expiresAt: keySettings.expiresAt.default(null),
  limitTotalNano: keySettings.limitTotalNano.default(null),
  limitMonthNano: keySettings.limitMonthNano.default(null),
  modelAllow: keySettings.modelAllow.default([]),
  addressAllow: keySettings.addressAllow.default([]),
  rpm: keySettings.rpm.default(null),
  tpm: keySettings.tpm.default(null),
  historyEnabled: keySettings.historyEnabled.default(true),
})
export type CreateKeyInput = z.infer<typeof createKeyInput>

/** PATCH /api/keys/{id}: only what is named changes. A key stays in its group, because the group sets its prices. */
export const updateKeyInput = z.strictObject({ id: z.string().min(1).max(64), ...z.object(keySettings).partial().shape })
export type UpdateKeyInput = z.infer<typeof updateKeyInput>

/** How long the previous secret remains valid after a rotation. */
export const overlap = z.enum(['now', '1h', '24h', '7d'])
export type Overlap = z.infer<typeof overlap>
/** POST /api/keys/{id}/rotate: a new secret for the same key. */
export const rotateKeyInput = z.strictObject({ id: z.string().min(1).max(64), overlap })

export const keyState = z.enum(['active', 'expired', 'revoked'])
export type KeyState = z.infer<typeof keyState>

export const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  /** The start and the last four characters, for example `sk-tg-…9fQ2`. */
  hint: z.string(),
  groupId: z.string(),
  groupName: z.string(),
  state: keyState,
  createdAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time.nullable(),
  limitTotalNano: nano.nullable(),
  limitMonthNano: nano.nullable(),
  spentNano: nano,
  spentMonthNano: nano,
  requests: count,
  modelAllow: z.array(z.string()),
  addressAllow: z.array(z.string()),
  rpm: count.nullable(),
  tpm: count.nullable(),
  historyEnabled: z.boolean(),
  /** Earlier secrets that are still valid after a rotation, the last to expire first. */
  former: z.array(z.object({ hint: z.string(), expiresAt: time })),
})
export type KeyRow = z.infer<typeof keyRow>

/** A key's place in the list. */
export interface KeyCursor {
  revokedAt: Date | null
  createdAt: Date
  id: string
}
const CURSOR_PATTERN = /^(-|\d{1,15})~(\d{1,15})~(key_\w{1,60})$/

export const formatKeyCursor = ({ revokedAt, createdAt, id }: KeyCursor): string =>
  `${revokedAt?.getTime() ?? '-'}~${createdAt.getTime()}~${id}`

const beforeKey = z
  .string()
  .transform((text, context): KeyCursor => {
    const [, revoked, created, id] = CURSOR_PATTERN.exec(text) ?? []
    if (id !== undefined)
      return { revokedAt: revoked === '-' ? null : new Date(Number(revoked)), createdAt: new Date(Number(created)), id }
    context.addIssue(INVALID_CURSOR)
    return z.NEVER
  })
  .optional()

/**
 * GET /api/keys: keys in use first, each part newest first. `search` is a part of a name, the end of a valid secret, or an
 * id; `group` is the id of a group; `before` is the `next` of the previous page. Without a `limit`, a page holds more keys
 * than can be in use.
 */
export const keyQuery = z.strictObject({
  search: z.string().trim().max(200).optional(),
  state: keyState.optional(),
  group: z.string().min(1).max(64).optional(),
  before: beforeKey,
  limit: pageLimit(500, 500),
})
export type KeyQuery = z.infer<typeof keyQuery>
export const keyList = pageSchema(keyRow)
/** GET /api/keys/{id}, PATCH /api/keys/{id}, POST /api/keys/{id}/end-overlap */
export const keyResult = z.object({ key: keyRow })
/** POST /api/keys and /api/keys/{id}/rotate: the only time the secret is shown. */
export const createdKey = z.object({ key: keyRow, secret: z.string() })
export type CreatedKey = z.infer<typeof createdKey>

/** GET /api/groups: the groups that a key can be bound to. */
export const groupRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** 10000 is a factor of 1. */
  multiplierBp: count,
  isDefault: z.boolean(),
  models: z.array(z.string()),
  /** By modality, the model of the group that can best be shown in examples and offered first: it probably answers. */
  examples: z.record(z.string(), z.string()),
})
export type GroupRow = z.infer<typeof groupRow>
export const groupList = z.object({ rows: z.array(groupRow) })
