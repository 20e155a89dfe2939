/** A base URL with its version, as provider packages need it. People often omit the version, as the vendors' own tools allow. */
export function withVersion(baseUrl: string, version: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return URL.canParse(base) && new URL(base).pathname === '/' ? `${base}${version}` : base
}
