import type pg from 'pg'
import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { loadCatalog } from '../store/catalog-store.ts'
import type { Keyring } from '../store/seal.ts'
import { createReloader } from './reload.ts'

/** Keeps the catalog in memory and reads it again after a change. `onLoaded` is called with each new one. */
export async function openCatalog(
  pool: pg.Pool,
  sealing: Pick<Keyring, 'open'>,
  log: Logger,
  onLoaded: (catalog: Catalog) => void = () => undefined,
) {
  const openSecret = (sealed: Buffer | null) => (sealed === null ? null : sealing.open(sealed))
  let catalog: Catalog = await loadCatalog(pool, openSecret)
  const read = async () => {
    catalog = await loadCatalog(pool, openSecret)
    onLoaded(catalog)
  }
  return { current: () => catalog, reload: createReloader(read, { isEnding: () => pool.ending, what: 'catalog', log }) }
}
