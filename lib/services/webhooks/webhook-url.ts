import { isIP } from 'node:net'
import { invalidField } from '../service-error.ts'

/**
 * Normalizes an address that webhooks may be sent to. What its name resolves to is checked when connecting. Errors:
 * `invalid_input` (url).
 */
export function parseWebhookUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') throw invalidField('url', 'Enter an address that begins with https://.')
  if (url.username !== '' || url.password !== '')
    throw invalidField('url', 'Leave the user name and password out of the address.')
  // A name may end with the dot of the DNS root.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  if (isIP(host) !== 0) throw invalidField('url', 'Use a host name: numeric addresses are not accepted.')
  if (!host.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(host))
    throw invalidField('url', 'Only hosts on the public internet can receive webhooks.')
  url.hash = ''
  return url.href
}
