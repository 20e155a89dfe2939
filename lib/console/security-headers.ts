/** What of the browser a page may use: nothing but the microphone, and that for this site alone. */
const PERMISSIONS = [
  'microphone=(self)',
  'accelerometer=()',
  'browsing-topics=()',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'gyroscope=()',
  'hid=()',
  'magnetometer=()',
  'midi=()',
  'payment=()',
  'serial=()',
  'usb=()',
].join(', ')

const TWO_YEARS_S = 63_072_000

export interface PageSecurity {
  /** Made anew for each page, and put into each script that the server writes. */
  nonce: string
  /** Where browsers reach the gateway: strict transport is asked for where that is encrypted. */
  publicUrl: string
  /** Under `next dev`, whose scripts are strings that are evaluated. */
  development: boolean
}

/**
 * The Content-Security-Policy of a page. Scripts are those that carry the nonce and what they load themselves; `'self'`
 * is for browsers that do not know `'strict-dynamic'`. Styles may be inline: widths and colours of charts are.
 */
export function contentSecurityPolicy({ nonce, development }: Omit<PageSecurity, 'publicUrl'>): string {
  const script = `'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`
  return [
    "default-src 'self'",
    `script-src ${script}`,
    "script-src-attr 'none'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws: wss:' : ''}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self' https://checkout.stripe.com",
    "frame-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** What every page says about how it may be used, by name. */
export function pageHeaders(page: PageSecurity): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(page),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': PERMISSIONS,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(page.publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${TWO_YEARS_S}` } : {}),
  }
}
