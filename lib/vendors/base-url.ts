/** A base URL as provider packages want it, with its version. People write it without, as the vendors' own tools take it. */
export function withVersion(baseUrl: string, version: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return URL.canParse(base) && new URL(base).pathname === '/' ? `${base}${version}` : base
}
