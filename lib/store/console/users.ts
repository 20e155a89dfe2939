import type { SignedInUser, Users } from '../../services/ports.ts'
import type { PrismaClient, User } from '../generated/client.ts'

/** A user as the console knows them. */
export const signedInOf = (user: User): SignedInUser => ({
  userId: user.id,
  accountId: user.accountId,
  email: user.email,
  name: user.name,
  // The table's CHECKs allow nothing else.
  role: user.role as SignedInUser['role'],
  sessionEpoch: user.sessionEpoch,
  locale: user.locale as SignedInUser['locale'],
})

/** The users that may sign in. */
export function createUsers(prisma: PrismaClient): Users {
  return {
    async byEmail(email) {
      const user = await prisma.user.findUnique({ where: { email } })
      return user && { ...signedInOf(user), passwordHash: user.passwordHash, emailVerified: user.emailVerifiedAt !== null }
    },
    async byId(userId) {
      const user = await prisma.user.findUnique({ where: { id: userId } })
      return user && signedInOf(user)
    },
    async setLocale(userId, locale) {
      await prisma.user.updateMany({
        where: { id: userId, locale: { not: locale }, account: { closedAt: null } },
        data: { locale },
      })
    },
  }
}
