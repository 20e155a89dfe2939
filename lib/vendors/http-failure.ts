import { asVendorFailure, VendorFailure } from './vendor.ts'

/** undici's and Node's codes of a connection or an answer that took too long. */
export const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])
/**
 * Node's codes of a certificate that was not accepted. Then nothing was sent. Other errors of an encrypted connection (`ERR_SSL...`)
 * can come at any time.
 */
export const CERTIFICATE_CODE = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Classifies an error of the HTTP client by undici's and Node's codes. The message is left out: it can contain addresses. */
export function failureOf(error: unknown): VendorFailure {
  const known = asVendorFailure(error)
  if (known) return known
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const text = typeof code === 'string' ? code : String(name ?? 'unknown')
  if (TIMEOUT_CODES.has(text)) return new VendorFailure('timed_out', text)
  if (UNREACHABLE_CODES.has(text) || CERTIFICATE_CODE.test(text)) return new VendorFailure('unreachable', text)
  return new VendorFailure('cut', text)
}
