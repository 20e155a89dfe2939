import { z } from 'zod'
import { count, nano, time } from './common.ts'

/** Positive amount of money as a string of nano-dollars. */
const limit = nano.refine((value) => BigInt(value) > 0n && BigInt(value) <= 1_000_000_000_000_000_000n)
/** One address or a range of them: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`. */
const addressRange = z.string().trim().min(2).max(49)

export const createKeyInput = z.strictObject({
  name: z.string().trim().min(1).max(80),
  groupId: z.string().min(1).max(64),
  expiresAt: time.nullable().default(null),
  limitTotalNano: limit.nullable().default(null),
  limitMonthNano: limit.nullable().default(null),
  modelAllow: z.array(z.string().min(1).max(200)).max(200).default([]),
  addressAllow: z.array(addressRange).max(50).default([]),
  rpm: z.number().int().min(1).max(1_000_000).nullable().default(null),
  tpm: z.number().int().min(1).max(1_000_000_000).nullable().default(null),
  historyEnabled: z.boolean().default(true),
})
export type CreateKeyInput = z.infer<typeof createKeyInput>

export const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  /** The start and the last four characters, for example `sk-tg-…9fQ2`. */
  hint: z.string(),
  groupName: z.string(),
  state: z.enum(['active', 'expired', 'revoked']),
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
})
export type KeyRow = z.infer<typeof keyRow>

/** GET /api/keys */
export const keyList = z.object({ rows: z.array(keyRow) })
/** POST /api/keys: the only time the secret is shown. */
export const createdKey = z.object({ key: keyRow, secret: z.string() })
export type CreatedKey = z.infer<typeof createdKey>

/** GET /api/groups: what a key can be bound to. */
export const groupRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** 10000 is a factor of 1. */
  multiplierBp: count,
  isDefault: z.boolean(),
  models: z.array(z.string()),
})
export type GroupRow = z.infer<typeof groupRow>
export const groupList = z.object({ rows: z.array(groupRow) })
