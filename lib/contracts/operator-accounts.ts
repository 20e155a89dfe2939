/** Shapes of the operator's side: accounts, their people, and redemption codes. */
import { z } from 'zod'
import { amount } from './billing.ts'
import { count, INVISIBLE_CHARACTERS, nano, pageLimit, pageSchema, printable, time } from './common.ts'
import { beforeId, beforeTimedId, INVALID_CURSOR } from './cursor.ts'
import { operatorId as id } from './operator.ts'
import { role } from './session.ts'
import { usageQuery } from './usage.ts'

export const accountState = z.enum(['active', 'suspended', 'closed'])
export type AccountState = z.infer<typeof accountState>

const limit = pageLimit(50, 200)

/** A place in the list of accounts: at an id or, in a search, at the text that was found and the kind of match. */
export interface AccountCursor {
  id: string
  /** The kind of match, by its rank in the list, and the text that was found. */
  found: { rank: number; text: string } | null
}
const CURSOR_PATTERN = /^([0-4-])~(acc_\w{1,60})~([^\0]{0,500})$/

export const formatAccountCursor = ({ id, found }: AccountCursor): string => `${found?.rank ?? '-'}~${id}~${found?.text ?? ''}`

const beforeAccount = z
  .string()
  .transform((text, context): AccountCursor => {
    const [, rank, id, found = ''] = CURSOR_PATTERN.exec(text) ?? []
    if (rank !== undefined && id !== undefined) return { id, found: rank === '-' ? null : { rank: Number(rank), text: found } }
    context.addIssue(INVALID_CURSOR)
    return z.NEVER
  })
  .optional()

/**
 * GET /api/operator/accounts: newest first. `search` is the beginning of an address or a name, an id of an account, a person,
 * a key or a payment (ours, or Stripe's of its page or intent), or the end of a key. Search results have an order of their own,
 * so a place in one order is invalid in the other.
 */
export const accountQuery = z
  .strictObject({
    search: z.string().trim().max(254).optional(),
    state: accountState.optional(),
    role: role.optional(),
    before: beforeAccount,
    limit,
  })
  .refine(({ search, before }) => before === undefined || (before.found !== null) === Boolean(search), {
    path: ['before'],
    error: INVALID_CURSOR,
  })
export type AccountQuery = z.infer<typeof accountQuery>

export const accountRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Of the person who joined first. */
  email: z.string(),
  role,
  balanceNano: nano,
  /** Since the first of the month, UTC. */
  spentMonthNano: nano,
  state: accountState,
  createdAt: time,
})
export type AccountRow = z.infer<typeof accountRow>
export const accountPage = pageSchema(accountRow)

const person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  emailVerified: z.boolean(),
  secondStep: z.boolean(),
  sessions: count,
  lastSeenAt: time.nullable(),
  createdAt: time,
})
export type Person = z.infer<typeof person>

const accountKey = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  groupName: z.string(),
  state: z.enum(['active', 'expired', 'revoked']),
  createdAt: time,
  lastUsedAt: time.nullable(),
})
export type AccountKey = z.infer<typeof accountKey>

/** GET /api/operator/accounts/{id} */
export const operatorAccount = z.object({
  id: z.string(),
  name: z.string(),
  state: accountState,
  suspendedAt: time.nullable(),
  /** The reason that was given; `debt` if the ledger suspended the account, until the debt is paid. */
  suspendedReason: z.string().nullable(),
  createdAt: time,
  balanceNano: nano,
  /** The part of the balance that running gateways have leased to pay for requests. */
  leasedNano: nano,
  owedNano: nano,
  spentMonthNano: nano,
  /** Payments that were started and have not ended, newest first, at most twenty. */
  waitingPayments: z.array(
    z.object({
      id: z.string(),
      state: z.enum(['open', 'processing']),
      amountNano: nano,
      /** The gateway started it by itself. */
      automatic: z.boolean(),
      createdAt: time,
    }),
  ),
  people: z.array(person),
  /** The first 500 keys. */
  keys: z.array(accountKey),
  /** The groups that its keys may be bound to. */
  groups: z.array(z.object({ id: z.string(), name: z.string(), isDefault: z.boolean(), multiplierBp: count })),
})
export type OperatorAccount = z.infer<typeof operatorAccount>

/** GET /api/operator/accounts/{id}/usage */
export const accountUsageQuery = usageQuery.extend({ id })
const accountPageLimit = pageLimit(20, 100)
/** GET /api/operator/accounts/{id}/entries */
export const accountEntriesQuery = z.strictObject({ id, before: beforeTimedId, limit: accountPageLimit })
export type AccountEntriesQuery = z.infer<typeof accountEntriesQuery>
/** GET /api/operator/accounts/{id}/requests: without a search, and in particular without one in message contents. */
export const accountRequestsQuery = z.strictObject({ id, before: beforeId('req'), limit: accountPageLimit })
export type AccountRequestsQuery = z.infer<typeof accountRequestsQuery>
/** GET /api/operator/accounts/{id}/request?request= */
export const accountRequestQuery = z.strictObject({ id, request: z.string().min(1).max(64) })

/** Created for each press of the button: a repeat changes nothing. */
const token = z.uuid()
const reason = z.string().trim().min(3, { error: 'Give a short reason.' }).max(300).regex(printable, INVISIBLE_CHARACTERS)

/** POST /api/operator/accounts/{id}/grant and /deduct */
export const moneyInput = z.strictObject({ id, token, amountNano: amount, reason })
export type MoneyInput = z.infer<typeof moneyInput>
/** `repeated`: this entry was booked before, and nothing is booked now. */
export const moneyResult = z.object({ repeated: z.boolean(), balanceNano: nano, owedNano: nano })
export type MoneyResult = z.infer<typeof moneyResult>

/** Reasons that the ledger writes. A suspension with such a reason would end with the debt. */
const RESERVED_REASONS = ['debt', 'closed']
/** POST /api/operator/accounts/{id}/suspend */
export const suspendInput = z.strictObject({
  id,
  reason: reason.refine((text) => !RESERVED_REASONS.includes(text.toLowerCase()), { error: 'Give a more detailed reason.' }),
})
/** POST /api/operator/accounts/{id}/resume */
export const accountIdInput = z.strictObject({ id })
/** POST /api/operator/accounts/{id}/revoke-key */
export const revokeKeyInput = z.strictObject({ id, keyId: id })

/** POST /api/operator/people/{id}/role: `from` is the role that the operator has seen. */
export const roleInput = z.strictObject({ id, from: role, to: role })
export type RoleInput = z.infer<typeof roleInput>
/** POST /api/operator/people/{id}/sign-out */
export const signOutResult = z.object({ ended: count })
// POST /api/operator/people/{id}/reset-second-step takes accountIdInput, and returns nothing.

/** The answer of verbs that return nothing. */
export const emptyResult = z.object({})

// Redemption codes

/** The most codes in one batch. */
export const MAX_CODES = 10_000

/** GET /api/operator/codes: newest first. */
export const codeQuery = z.strictObject({
  state: z.enum(['open', 'redeemed', 'withdrawn']).optional(),
  before: beforeId('code'),
  limit,
})
export type CodeQuery = z.infer<typeof codeQuery>

export const codeRow = z.object({
  id: z.string(),
  /** Its first group of characters. */
  hint: z.string(),
  amountNano: nano,
  note: z.string(),
  state: z.enum(['open', 'redeemed', 'withdrawn', 'expired']),
  createdAt: time,
  redeemedAt: time.nullable(),
  redeemedBy: z.object({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
  /** Whether other codes of the same batch are still open. */
  hasOthers: z.boolean(),
})
export type CodeRow = z.infer<typeof codeRow>
export const codePage = pageSchema(codeRow)

/** POST /api/operator/codes */
export const mintInput = z.strictObject({
  token,
  amountNano: amount,
  count: z.number().int().min(1).max(MAX_CODES, { error: 'At most {maximum} codes at once.' }),
  note: z.string().trim().max(300).default(''),
})
export type MintInput = z.infer<typeof mintInput>
/** The codes themselves. They are stored nowhere and shown only this once. */
export const mintResult = z.object({ codes: z.array(z.string()), amountNano: nano })
export type MintResult = z.infer<typeof mintResult>

/** DELETE /api/operator/codes/{id}/minting: how many were withdrawn. */
export const withdrawResult = z.object({ count })
export type WithdrawResult = z.infer<typeof withdrawResult>
