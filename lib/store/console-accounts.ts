import type { Accounts, NewAccount } from '../services/ports.ts'
import type { PrismaClient } from './generated/client.ts'

/** Prisma's code for a unique index that refused a row. */
const UNIQUE_VIOLATION = 'P2002'

/** Told by its code, as the error's class can come from another copy of the module. Ids are random, so it is the email. */
function takenOf(error: unknown): 'email_taken' | 'identity_taken' | null {
  const { code, meta } = error as { code?: unknown; meta?: { modelName?: unknown } }
  if (code !== UNIQUE_VIOLATION) return null
  return meta?.modelName === 'User' ? 'email_taken' : meta?.modelName === 'Identity' ? 'identity_taken' : null
}

function creditEntry(account: NewAccount) {
  return {
    id: `ent_${account.accountId}_sign_up`,
    accountId: account.accountId,
    kind: 'grant',
    amountNano: account.creditNano,
    reason: 'Sign-up credit',
    actor: 'system',
    createdAt: account.at,
  }
}

/** Accounts and how they begin. */
export function createAccounts(prisma: PrismaClient): Accounts {
  return {
    async create(account) {
      const { accountId, userId, name, email, passwordHash, role, at, creditNano, identity } = account
      const user = { id: userId, email, name, passwordHash, role, accountId, createdAt: at }
      try {
        await prisma.$transaction([
          prisma.account.create({ data: { id: accountId, name, createdAt: at } }),
          prisma.user.create({ data: { ...user, emailVerifiedAt: account.emailVerified ? at : null } }),
          ...(identity ? [prisma.identity.create({ data: { ...identity, userId, createdAt: at } })] : []),
          prisma.purse.create({ data: { id: accountId, kind: 'account', accountId, credit: creditNano } }),
          ...(creditNano > 0n ? [prisma.entry.create({ data: creditEntry(account) })] : []),
        ])
      } catch (error) {
        const taken = takenOf(error)
        if (taken) return taken
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
