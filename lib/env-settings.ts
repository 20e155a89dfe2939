import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { SETTINGS } from './contracts/settings.ts'
import { CURRENCY_HELP, currencyOf } from './domain/currency.ts'
import {
  databaseUrlSchema,
  integer,
  isOrigin,
  liveInteger,
  mailServerSchema,
  optionalText,
  parseList,
  publicUrlSchema,
  redisUrlSchema,
  senderSchema,
  share,
  webUrlSchema,
} from './env-schemas.ts'

/** How the requests to trace are chosen, with OpenTelemetry's names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Every setting that the process reads from its environment. README.md lists them with their meaning. */
export const settings = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
  PORT: integer(3000, 0, 65535),
  // An IPv6 address may have the brackets that it has in a URL.
  HOST: z
    .string()
    .default('0.0.0.0')
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1')),
  PUBLIC_URL: publicUrlSchema.optional(),
  ROLE: z.enum(['all', 'gateway', 'console']).default('all'),
  WORKERS: integer(1, 0, 64),
  REDIS_URL: redisUrlSchema.optional(),
  REDIS_TIMEOUT_MS: integer(50, 5, 5000),
  DATA_DIR: z
    .string()
    .regex(/^(?!~)/, 'a folder, without ~, which only shells replace')
    .default('.data'),
  DATABASE_URL: databaseUrlSchema.optional(),
  DATABASE_POOL: integer(10, 2, 200),
  SECRET_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, '64 hexadecimal digits, for example from: openssl rand -hex 32')
    .optional(),
  CREDENTIALS_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}(\s*,\s*[0-9a-f]{64})*$/i, 'keys of 64 hexadecimal digits, the newest first, separated by commas')
    .optional(),
  NEXTAUTH_SECRET: z.string().min(32, 'at least 32 characters, for example from: openssl rand -hex 32').optional(),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(parseList)
    .refine((items) => items.every((item) => ipaddr.isValid(item) || ipaddr.isValidCIDR(item)), {
      error: 'addresses and ranges such as 10.0.0.0/8, separated by commas',
    }),
  CORS_ORIGINS: z
    .string()
    .default('*')
    .transform((text) => (text === '*' ? ('*' as const) : text === 'none' ? [] : parseList(text)))
    .refine((origins) => origins === '*' || origins.every(isOrigin), {
      error: 'origins such as https://app.example, separated by commas; * for all, or none',
    }),
  SIGN_UP: SETTINGS.signUp.type.default('open'),
  SIGN_UP_CREDIT: SETTINGS.signUpCredit.type.default('0'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(?!pk_|whsec_|we_)/, 'a secret or restricted key of Stripe, which begins with sk_ or rk_')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^(?!sk_|rk_|pk_|we_)/, 'the signing secret of the webhook endpoint, which begins with whsec_')
    .optional(),
  STRIPE_API_BASE: webUrlSchema.default('https://api.stripe.com'),
  CURRENCY: z
    .string()
    .toLowerCase()
    .refine((code) => currencyOf(code) !== null, CURRENCY_HELP)
    .default('usd'),
  TOP_UP_MIN: SETTINGS.topUpMin.type.default('1'),
  TOP_UP_MAX: SETTINGS.topUpMax.type.default('10000'),
  SMTP_URL: mailServerSchema.optional(),
  MAIL_FROM: senderSchema.default('Tollgate <tollgate@localhost>'),
  GITHUB_CLIENT_ID: optionalText,
  GITHUB_CLIENT_SECRET: optionalText,
  GITHUB_BASE_URL: webUrlSchema.default('https://github.com'),
  GOOGLE_CLIENT_ID: optionalText,
  GOOGLE_CLIENT_SECRET: optionalText,
  GOOGLE_ISSUER: webUrlSchema.default('https://accounts.google.com'),
  S3_BUCKET: z
    .string()
    .regex(/^(?!.*:\/\/)/, 'the name of a bucket, whose address is S3_ENDPOINT')
    .optional(),
  S3_ENDPOINT: webUrlSchema.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: optionalText,
  S3_SECRET_ACCESS_KEY: optionalText,
  S3_PREFIX: z
    .string()
    .regex(/^(?!\/)[\w./-]*$/, 'what keys begin with, such as tollgate/files/')
    .default('files/'),
  OPENAI_API_KEY: optionalText,
  OPENAI_BASE_URL: webUrlSchema.default('https://api.openai.com/v1'),
  ANTHROPIC_API_KEY: optionalText,
  ANTHROPIC_BASE_URL: webUrlSchema.default('https://api.anthropic.com'),
  GEMINI_API_KEY: optionalText,
  GEMINI_BASE_URL: webUrlSchema.default('https://generativelanguage.googleapis.com'),
  OPENAI_COMPATIBLE_BASE_URL: webUrlSchema.optional(),
  OPENAI_COMPATIBLE_API_KEY: optionalText,
  OPENAI_COMPATIBLE_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'at most 31 lowercase letters, digits and hyphens, such as local')
    .default('local'),
  MAX_BODY_BYTES: integer(16 * 1024 * 1024, 1024, 256 * 1024 * 1024),
  BODY_BYTES_PER_ACCOUNT: integer(512 * 1024 * 1024, 1024, 1024 ** 4),
  BODY_BYTES: integer(2 * 1024 ** 3, 1024, 1024 ** 4),
  MAX_UPLOAD_BYTES: integer(200 * 1024 * 1024, 1024, 64 * 1024 ** 3),
  SPOOL_BYTES_PER_ACCOUNT: integer(1024 ** 3, 1024, 1024 ** 5),
  SPOOL_BYTES: integer(8 * 1024 ** 3, 1024, 1024 ** 5),
  FILE_HOURS: integer(24, 1, 8760),
  MAX_CONCURRENCY: liveInteger('concurrency', 5000),
  SHED_LAG_MS: liveInteger('shedLagMs', 500),
  MAX_CONCURRENCY_PER_KEY: liveInteger('keyConcurrency', 1000),
  MAX_CONCURRENCY_PER_ACCOUNT: liveInteger('accountConcurrency', 2500),
  KEY_RPM: liveInteger('keyRpm', 1_000_000),
  KEY_TPM: liveInteger('keyTpm', 1_000_000_000),
  REQUEST_TIMEOUT_MS: liveInteger('requestTimeoutMs', 600_000),
  READER_TIMEOUT_MS: liveInteger('readerTimeoutMs', 60_000),
  SETTLE_TIMEOUT_MS: integer(30_000, 100, 600_000),
  VIDEO_TIMEOUT_MS: integer(7_200_000, 1000, 82_800_000),
  VIDEO_SILENCE_MS: integer(3_600_000, 1000, 82_800_000),
  VIDEO_WAIT_MS: integer(600_000, 0, 3_600_000),
  VIDEO_POLLS_PER_SECOND: integer(20, 1, 1000),
  VIDEO_MAX_BYTES: integer(512 * 1024 * 1024, 1024, 8 * 1024 * 1024 * 1024),
  RESPONSES_DAYS: integer(30, 1, 3650),
  HOPS: liveInteger('hops', 3),
  BREAKER_FAILURES: liveInteger('breakerFailures', 5),
  BREAKER_COOL_MS: liveInteger('breakerCoolMs', 5_000),
  BREAKER_COOL_MOST_MS: liveInteger('breakerCoolMostMs', 120_000),
  LEASE_LIFE_MS: integer(30_000, 1000, 600_000),
  DRAIN_MS: integer(30_000, 0, 3_600_000),
  // The OpenTelemetry exporter reads its other variables itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrlSchema.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webUrlSchema.optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  METRICS_TOKEN: optionalText,
  /** Tells a worker what it is. Set by the process that starts it, and by nobody else. */
  TOLLGATE_WORKER: optionalText,
  TOLLGATE_UPKEEP: z.enum(['yes', 'no']).default('yes'),
  TOLLGATE_CONSOLE_SOCKET: optionalText,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export type Settings = z.infer<typeof settings>
