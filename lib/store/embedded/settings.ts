/**
 * The settings that a server starts with: PostgreSQL's own defaults for durability, stated explicitly, and sizes for a small
 * machine that also runs the gateway. They are passed on the command line, so that a new release of this program also changes
 * them for existing data directories.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  max_wal_size: '512MB',
  checkpoint_timeout: '10min',
  // Every statement here is short. Compiling one costs more than running it.
  jit: 'off',
  // I/O worker processes would be idle, because what is read is in memory.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  autovacuum_naptime: '15s',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // The details of an error can contain rows and statements, and so what users wrote. The client still gets all of them.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  lc_messages: 'C',
}

/** The command-line arguments of a server. `overrides` take precedence over SETTINGS. */
export function serverArguments(cluster: string, port: number, overrides: Readonly<Record<string, string>>): string[] {
  const settings = { ...SETTINGS, ...overrides, port: String(port) }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
