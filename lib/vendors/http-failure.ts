import { asVendorFailure, VendorFailure } from './vendor.ts'

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'CERT_HAS_EXPIRED'])

/** Classifies an error of the HTTP client by undici's and Node's codes. The message is left out: it can contain addresses. */
export function failureOf(error: unknown): VendorFailure {
  const known = asVendorFailure(error)
  if (known) return known
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const text = typeof code === 'string' ? code : String(name ?? 'unknown')
  if (TIMEOUTS.has(text)) return new VendorFailure('timed_out', text)
  if (UNREACHABLE.has(text) || text.startsWith('ERR_TLS')) return new VendorFailure('unreachable', text)
  return new VendorFailure('cut', text)
}
