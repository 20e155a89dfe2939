import { STORED_TEXTS } from '../../domain/stored-text.ts'
import type { Accounts, NewAccount } from '../../services/ports.ts'
import type { PrismaClient } from '../generated/client.ts'

/** Prisma's code for a violation of a unique index. */
const UNIQUE_VIOLATION = 'P2002'

/**
 * Checks the error's code, because its class can come from another copy of the module. Ids are random, so the email is the
 * duplicate.
 */
function conflictOf(error: unknown): 'email_taken' | 'identity_taken' | null {
  const { code, meta } = error as { code?: unknown; meta?: { modelName?: unknown } }
  if (code !== UNIQUE_VIOLATION) return null
  return meta?.modelName === 'User' ? 'email_taken' : meta?.modelName === 'Identity' ? 'identity_taken' : null
}

/** The entry of an account's initial credit. */
export const creditEntryId = (accountId: string): string => `ent_${accountId}_sign_up`

/** Creates the purse, with the credit and its entry unless the mark has already had it. */
function openPurse(prisma: PrismaClient, { accountId, creditNano, creditMark, at }: NewAccount) {
  const mark = creditMark === undefined ? null : Uint8Array.from(creditMark)
  return prisma.$executeRaw`
    with fresh as (
      insert into sign_up_credit (address_hmac, given_at)
      select ${mark}::bytea, ${at}::timestamptz where ${creditNano}::bigint > 0 and ${mark}::bytea is not null
      on conflict do nothing returning true
    ), given as (
      select case when ${mark}::bytea is null or exists (select from fresh) then ${creditNano}::bigint else 0 end as nano
    ), opened as (
      insert into purse (id, kind, account_id, credit) select ${accountId}, 'account', ${accountId}, nano from given
    )
    insert into entry (id, account_id, kind, amount_nano, reason, actor, created_at)
    select ${creditEntryId(accountId)}, ${accountId}, 'grant', nano, ${STORED_TEXTS.signUpCredit}, 'system', ${at}::timestamptz
    from given where nano > 0`
}

/** Accounts and how they are created. */
export function createAccounts(prisma: PrismaClient): Accounts {
  return {
    async create(account) {
      const { accountId, userId, name, email, passwordHash, role, locale, at, historyDays, identity } = account
      const user = { id: userId, email, name, passwordHash, role, locale, accountId, createdAt: at }
      try {
        await prisma.$transaction([
          prisma.account.create({ data: { id: accountId, name, historyDays, createdAt: at } }),
          prisma.user.create({ data: { ...user, emailVerifiedAt: account.emailVerified ? at : null } }),
          ...(identity ? [prisma.identity.create({ data: { ...identity, userId, createdAt: at } })] : []),
          openPurse(prisma, account),
        ])
      } catch (error) {
        const conflict = conflictOf(error)
        if (conflict) return conflict
        throw error
      }
      return 'created'
    },
    async suspended(accountId) {
      const account = await prisma.account.findUnique({ where: { id: accountId }, select: { suspendedAt: true } })
      return account?.suspendedAt != null
    },
    async suspension(accountId) {
      const account = await prisma.account.findUnique({
        where: { id: accountId },
        select: { suspendedAt: true, suspendedReason: true },
      })
      return account?.suspendedAt == null ? null : { reason: account.suspendedReason }
    },
  }
}
