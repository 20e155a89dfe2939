import type pg from 'pg'
import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { loadCatalog } from '../store/catalog-store.ts'
import { unseal } from '../store/seal.ts'

/** The catalog in memory, read again when something in it changed. */
export async function openCatalog(pool: pg.Pool, sealing: Uint8Array, log: Logger) {
  const open = (sealed: Buffer | null) => (sealed === null ? null : unseal(sealing, sealed))
  let catalog: Catalog = await loadCatalog(pool, open)
  let wanted = false
  let loading = false
  const load = async () => {
    while (wanted) {
      wanted = false
      catalog = await loadCatalog(pool, open)
    }
  }
  return {
    current: () => catalog,
    reload() {
      wanted = true
      if (loading) return
      loading = true
      load()
        .catch((error: unknown) => log.error({ error: String(error) }, 'the catalog could not be read again'))
        .finally(() => {
          loading = false
        })
    },
  }
}
