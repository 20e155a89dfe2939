import type { Catalog } from '../services/ports.ts'
import type { PrismaClient } from './generated/client.ts'

/** What `connection.kind` is for the built-in vendor that answers without a network. */
const SANDBOX = 'sandbox'

/** Groups and their models. Every group is open to every account: `accountId` is where a narrower rule would go. */
export function createCatalog(prisma: PrismaClient): Catalog {
  return {
    async groups(_accountId) {
      const groups = await prisma.modelGroup.findMany({
        orderBy: [{ isDefault: 'desc' }, { name: 'asc' }],
        include: {
          models: { where: { model: { enabled: true } }, select: { modelId: true }, orderBy: { modelId: 'asc' } },
        },
      })
      return groups.map(({ id, name, description, multiplierBp, isDefault, models }) => ({
        id,
        name,
        description,
        multiplierBp,
        isDefault,
        models: models.map(({ modelId }) => modelId),
      }))
    },
    async sandboxOnly() {
      const real = await prisma.deployment.findFirst({
        where: { enabled: true, connection: { kind: { not: SANDBOX } } },
        select: { id: true },
      })
      return real === null
    },
  }
}
