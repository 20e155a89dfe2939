import type { Catalog, CatalogFacts } from '../services/ports.ts'
import type { PrismaClient } from './generated/client.ts'

/** What `connection.kind` is for the built-in vendor that answers without a network. */
const SANDBOX = 'sandbox'

/** Groups and their models. Those that are not open are for the accounts that they name. */
export function createCatalog(prisma: PrismaClient): Catalog {
  return {
    async groups(accountId) {
      const groups = await prisma.modelGroup.findMany({
        where: {
          archivedAt: null,
          OR: [{ open: true }, ...(accountId === null ? [] : [{ accounts: { some: { accountId } } }])],
        },
        orderBy: [{ isDefault: 'desc' }, { name: 'asc' }],
        include: {
          models: {
            where: { model: { enabled: true, archivedAt: null } },
            select: { modelId: true },
            orderBy: { modelId: 'asc' },
          },
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
    async models(at) {
      const models = await prisma.model.findMany({
        where: { enabled: true, archivedAt: null },
        orderBy: { id: 'asc' },
        include: { prices: { where: { startsAt: { lte: at } }, orderBy: { startsAt: 'desc' }, take: 1 } },
      })
      return models.flatMap(
        ({ prices: [price], imageTokens: _, enabled: _on, version: _version, archivedAt: _archived, facts, ...model }) =>
          price
            ? [
                {
                  ...model,
                  facts: facts as CatalogFacts,
                  priceFrom: price.startsAt,
                  rates: price.units as Record<string, string>,
                },
              ]
            : [],
      )
    },
    async sandboxOnly() {
      const real = await prisma.deployment.findFirst({
        where: { enabled: true, archivedAt: null, connection: { kind: { not: SANDBOX }, archivedAt: null } },
        select: { id: true },
      })
      return real === null
    },
  }
}
