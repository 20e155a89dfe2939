/** The browser features that a page may use: only the microphone, and only for this site. */
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
  /** Created for each page, and put into each script that the server writes. */
  nonce: string
  /** Where browsers reach the gateway. Strict transport security is requested if this is an HTTPS address. */
  publicUrl: string
  /** True under `next dev`, whose scripts are evaluated from strings. */
  development: boolean
}

/**
 * The Content-Security-Policy of a page. It allows scripts that carry the nonce, and scripts that these load. `'self'` is for
 * browsers that do not know `'strict-dynamic'`. Styles may be inline, because the widths and colors of charts are.
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

/** The security headers of every page, by name. */
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
