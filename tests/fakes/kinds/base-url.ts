import type { VendorKind } from '#lib/domain/vendor-kinds'

const FIELDS: Readonly<Record<string, string>> = {
  resource: 'my-resource',
  project: 'my-project',
  location: 'global',
  region: 'us-east-1',
}

/** A kind's own base URL with the fake vendor's origin. Its path stays, because requests go there. */
export function baseUrlAt(origin: string, { baseUrl }: VendorKind): string {
  const own = new URL((baseUrl ?? 'https://models.example/v1').replace(/\{(\w+)\}/g, (_, name: string) => FIELDS[name] ?? ''))
  return `${origin}${own.pathname === '/' ? '' : own.pathname}`
}
