import type pg from 'pg'
import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { loadCatalog } from '../store/catalog-store.ts'
import type { Keyring } from '../store/seal.ts'
import { createReload } from './reload.ts'

/** Keeps the catalog in memory and reads it again after a change. `loaded` is called with each new one. */
export async function openCatalog(
  pool: pg.Pool,
  sealing: Pick<Keyring, 'open'>,
  log: Logger,
  loaded: (catalog: Catalog) => void = () => undefined,
) {
  const open = (sealed: Buffer | null) => (sealed === null ? null : sealing.open(sealed))
  let catalog: Catalog = await loadCatalog(pool, open)
  const read = async () => {
    catalog = await loadCatalog(pool, open)
    loaded(catalog)
  }
  return { current: () => catalog, reload: createReload(read, { ending: () => pool.ending, what: 'catalog', log }) }
}
