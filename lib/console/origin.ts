const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * Whether a request that changes something comes from the console's own pages. Its Origin has to be that of `publicUrl` or,
 * for a user on the machine itself, that of the loopback Host in the request. No other Host counts, because the owner of
 * another domain name can make it resolve to this server.
 */
export function isOwnOrigin(headers: Headers, publicUrl: string): boolean {
  const origin = headers.get('origin')
  if (origin === null) return false
  if (origin === parseUrl(publicUrl)?.origin) return true
  const host = headers.get('host') ?? ''
  const hostUrl = parseUrl(`http://${host}`)
  if (!hostUrl || !LOOPBACK.test(hostUrl.hostname) || hostUrl.username !== '') return false
  return origin === hostUrl.origin || origin === parseUrl(`https://${host}`)?.origin
}
