import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { copyAttributes, copyOne, copyTree } from './copy-tree.ts'

// What a server recreates when it starts, or must not find, according to the chapter on base backups in PostgreSQL's manual.
const EMPTIED = /^(pg_wal|pg_stat_tmp|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_subtrans)\/./
const EXCLUDED = /^(postmaster\.(pid|opts)|(backup_label|tablespace_map)(\.old)?|(.+\/)?(pgsql_tmp|pg_internal\.init)[^/]*)$/
const CONTROL = 'global/pg_control'
const LOG = 'pg_wal'
const LOG_FOLDERS = ['archive_status', 'summaries']
const SEGMENT = /^[0-9A-F]{24}$/

/** Where a server's files are, and where they are copied to. Both folders contain `server/`. */
export interface BaseBackup {
  /** The connection string of the running server; its user must be a superuser. */
  url: string
  /** The server's own folder. */
  home: string
  /** The folder for the copy, which must not contain one yet. */
  target: string
  signal: AbortSignal
}

/**
 * Copies a running server, which continues to serve. The copy contains at least everything that was committed when this was
 * called: first the files as they are, then the log that makes them consistent. A server that starts on the copy replays that
 * log. Returns the size of the copy in bytes.
 */
export async function backUpServer({ url, home, target, signal }: BaseBackup): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate backup' })
  client.on('error', () => {})
  await client.connect()
  const [from, to] = [join(home, 'server', 'data'), join(target, 'server', 'data')]
  try {
    // The slot is temporary and ends with this connection. Until then the server keeps the log that the copy needs.
    await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [`tollgate_backup_${process.pid}`])
    const begun = await client.query<{ first: string }>(
      "SELECT pg_walfile_name(pg_backup_start('tollgate', fast => true)) AS first",
    )
    const skip = (path: string) => EMPTIED.test(path) || EXCLUDED.test(path) || path === CONTROL
    await mkdir(join(target, 'server'), { recursive: true, mode: 0o711 })
    let bytes = await copyTree(from, to, { skip, signal })
    // Copied last, so that it is at least as recent as the other files.
    bytes += await copyOne(join(from, CONTROL), join(to, CONTROL))
    const ended = await client.query<{ last: string; label: string }>(
      'SELECT pg_walfile_name(lsn) AS last, labelfile AS label FROM pg_backup_stop(false)',
    )
    const { first, last, label } = { first: '', last: '', label: '', ...begun.rows[0], ...ended.rows[0] }
    await writeFile(join(to, 'backup_label'), label)
    await copyAttributes(join(from, 'PG_VERSION'), join(to, 'backup_label'))
    const isNeededSegment = (name: string) => SEGMENT.test(name) && name >= first && name <= last
    const isExcluded = (path: string) => !isNeededSegment(path) && !LOG_FOLDERS.includes(path)
    bytes += await copyTree(join(from, LOG), join(to, LOG), { skip: isExcluded })
    await copyOne(join(home, 'server', 'password'), join(target, 'server', 'password'))
    await copyAttributes(join(home, 'server'), join(target, 'server'))
    return bytes
  } finally {
    await client.end()
  }
}
