import type { Random } from '../support/random.ts'
import { requestBytes } from '../support/raw-client.ts'
import { type FuzzWorld, headersOf, type RequestDraft, validChatBody } from './request-parts.ts'

const brokenRequest = (bytes: Buffer | string): RequestDraft => ({ bytes: Buffer.from(bytes as string, 'latin1'), broken: true })

/** Bytes that do not frame a request, or frame more than one. */
export function invalidFraming(random: Random, world: FuzzWorld): RequestDraft {
  const validBytes = requestBytes({ headers: headersOf(random, world), body: validChatBody(random, world) })
  const text = validBytes.toString('latin1')
  const length = /Content-Length: (\d+)/
  const cut = random.integer(1, validBytes.length - 1)
  return random.pickWeighted<() => RequestDraft>([
    [3, () => brokenRequest(text.slice(0, cut))],
    [2, () => brokenRequest(text.replace(length, (_, digits) => `Content-Length: ${Number(digits) + random.integer(1, 2000)}`))],
    [
      2,
      () =>
        brokenRequest(
          text.replace(length, (_, digits) => `Content-Length: ${Math.max(0, Number(digits) - random.integer(1, 50))}`),
        ),
    ],
    [
      1,
      () =>
        brokenRequest(
          text.replace(length, `Content-Length: ${random.pick(['-1', 'x', '', '0x10', '1e3', '99999999999999999999', '5, 6'])}`),
        ),
    ],
    [1, () => brokenRequest(text.replace(length, '$&\r\nContent-Length: 3'))],
    [1, () => brokenRequest(text.replace(length, '$&\r\nTransfer-Encoding: chunked'))],
    [
      1,
      () =>
        brokenRequest(
          text
            .replace(length, 'Transfer-Encoding: chunked')
            .replace(
              /\r\n\r\n[\s\S]*/,
              `\r\n\r\n${random.pick(['zz\r\n', '5\r\nab', '-1\r\n', 'ffffffffff\r\nx', '0', '1;a=b\r\n{\r\n0\r\n\r\n'])}`,
            ),
        ),
    ],
    [1, () => brokenRequest(text.replaceAll('\r\n', '\n'))],
    [1, () => brokenRequest(text.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTX/1.1', ''])))],
    [
      1,
      () =>
        brokenRequest(
          text.replace(
            'Host: gateway.test',
            random.pick(['X: y', 'Host: ', 'Host: a b', 'Host: [::1', 'Host: x:99999', 'Host: \u00fc', 'Host: a\r\nHost: b']),
          ),
        ),
    ],
    [
      1,
      () =>
        brokenRequest(
          text.replace(
            '\r\n',
            `\r\n${random.pick([' folded: x', 'no colon', ': empty', 'a\0b: c', 'x: \x01', `y: ${'z'.repeat(20_000)}`, 'sp ace: x'])}\r\n`,
          ),
        ),
    ],
    [
      1,
      () =>
        brokenRequest(
          random.pick([
            '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
            'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
            '\0\0\0\0',
            '\r\n\r\n\r\n',
            'GET',
            'get /v1/models http/1.1\r\n\r\n',
          ]),
        ),
    ],
    [
      1,
      () => {
        const bytes = Buffer.from(validBytes)
        for (let times = random.integer(1, 5); times > 0; times--)
          bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
        return { bytes, broken: true }
      },
    ],
  ])()
}
