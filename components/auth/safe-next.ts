/**
 * The address to go to after signing in: the requested page, if it is on this site. An address that a browser would read as
 * another site's (`//host`, `/\host`, or with a scheme) becomes the overview.
 */
export function safeNext(requested: string | null | undefined): string {
  const isSameSite = typeof requested === 'string' && /^\/(?![/\\])/.test(requested) && !/[\\\s]/.test(requested)
  return isSameSite ? requested : '/overview'
}
