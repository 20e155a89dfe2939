import { isIP } from 'node:net'
import { invalidField } from '../service-error.ts'

/**
 * An address that webhooks may be sent to, as it is written down. What its name leads to is looked at when it is
 * connected to. Errors: `invalid_input` (url).
 */
export function webhookUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') throw invalidField('url', 'Write an address that begins with https://.')
  if (url.username !== '' || url.password !== '') throw invalidField('url', 'Leave the name and password out of the address.')
  // A name may end with the dot of the root.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  if (isIP(host) !== 0) throw invalidField('url', 'Name a host: addresses in numbers are not taken.')
  if (!host.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(host))
    throw invalidField('url', 'Only hosts on the open internet can be told.')
  url.hash = ''
  return url.href
}
