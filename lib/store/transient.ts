const SQL_STATES = new Set([
  '25006',
  '25P03',
  '25P04',
  '40001',
  '40P01',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '58030',
])
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * Whether a driver error means "not now": the connection broke, the server is restarting or is read-only after a failover, two
 * transactions conflicted, or something took longer than a setting of the database allows. Class 08 is connection failure,
 * class 53 a full disk, memory or connection list, 58030 a failing disk (PostgreSQL manual, appendix A). The driver's own
 * errors on a broken connection have no code.
 */
export function isTransient(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return SQL_STATES.has(code) || SOCKET_CODES.has(code) || /^(08|53)\w{3}$/.test(code)
  return typeof message === 'string' && /connection|terminated|timeout|not queryable|Client was closed/i.test(message)
}
