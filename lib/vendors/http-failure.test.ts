import { expect, test } from 'vitest'
import { failureOf } from './http-failure.ts'

test.each([
  ['ECONNREFUSED', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['CERT_HAS_EXPIRED', 'unreachable'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unreachable'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unreachable'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed_out'],
  ['UND_ERR_BODY_TIMEOUT', 'timed_out'],
  // These can come after the request was sent, so the vendor may have done what it was asked for.
  ['ECONNRESET', 'cut'],
  ['UND_ERR_SOCKET', 'cut'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'cut'],
  ['EPROTO', 'cut'],
])('%s means that the vendor is %s', (code, kind) => {
  expect(failureOf(Object.assign(new Error('https://10.0.0.1 failed'), { code }))).toMatchObject({ kind, detail: code })
})
