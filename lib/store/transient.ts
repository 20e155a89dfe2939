const STATES = new Set(['40001', '40P01', '55P03', '57P01', '57P02', '57P03', '25006', '58030'])
const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])

/**
 * Whether an error of the driver says "not now": the connection broke, the server restarts or is
 * read-only after a failover, or two transactions met. Class 08 is connection failure, class 53 is a full
 * disk, memory or list of connections, 58030 a disk that fails (PostgreSQL manual, appendix A); the driver's own errors on a broken connection carry no code.
 */
export function isTransient(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return STATES.has(code) || SOCKET.has(code) || /^(08|53)\w{3}$/.test(code)
  return typeof message === 'string' && /connection|terminated|timeout|not queryable|Client was closed/i.test(message)
}
