import type pg from 'pg'
import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { loadCatalog } from '../store/catalog-store.ts'
import type { Keyring } from '../store/seal.ts'

const RETRY_MS = 1000

/**
 * The catalog in memory, read again when something in it changed, and until that has worked: old prices
 * are wrong prices. `loaded` hears of each new one.
 */
export async function openCatalog(
  pool: pg.Pool,
  sealing: Pick<Keyring, 'open'>,
  log: Logger,
  loaded: (catalog: Catalog) => void = () => undefined,
) {
  const open = (sealed: Buffer | null) => (sealed === null ? null : sealing.open(sealed))
  let catalog: Catalog = await loadCatalog(pool, open)
  let wanted = false
  let loading = false
  const load = async () => {
    while (wanted) {
      wanted = false
      try {
        catalog = await loadCatalog(pool, open)
        loaded(catalog)
      } catch (error) {
        if (pool.ending) return
        log.error({ error: String(error) }, 'the catalog could not be read again; this is tried until it can')
        wanted = true
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
  return {
    current: () => catalog,
    reload() {
      wanted = true
      if (loading) return
      loading = true
      void load().finally(() => {
        loading = false
      })
    },
  }
}
