import ipaddr from 'ipaddr.js'
import { z } from 'zod'

const text = z.string().trim().min(1).optional()
const integer = (fallback: number, least: number, most: number) => z.coerce.number().int().min(least).max(most).default(fallback)

/** Every setting that the process takes from its environment. README.md lists them with their meaning. */
const schema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
  PORT: integer(3000, 0, 65535),
  HOST: z.string().default('0.0.0.0'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  ROLE: z.enum(['all', 'gateway', 'console']).default('all'),
  WORKERS: integer(1, 0, 64),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  REDIS_TIMEOUT_MS: integer(50, 5, 5000),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: text,
  DATABASE_POOL: integer(10, 2, 200),
  SECRET_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits, for example from: openssl rand -hex 32')
    .optional(),
  NEXTAUTH_SECRET: text,
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.every((item) => ipaddr.isValid(item) || ipaddr.isValidCIDR(item)), {
      error: 'addresses and ranges such as 10.0.0.0/8, separated by commas',
    }),
  SIGN_UP: z.enum(['open', 'closed']).default('open'),
  SIGN_UP_CREDIT: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, 'an amount such as 0, 1 or 0.50')
    .default('0'),
  OPENAI_API_KEY: text,
  OPENAI_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1'),
  ANTHROPIC_API_KEY: text,
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.anthropic.com'),
  GEMINI_API_KEY: text,
  GEMINI_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://generativelanguage.googleapis.com'),
  OPENAI_COMPATIBLE_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  OPENAI_COMPATIBLE_API_KEY: text,
  OPENAI_COMPATIBLE_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,30}$/)
    .default('local'),
  MAX_BODY_BYTES: integer(16 * 1024 * 1024, 1024, 256 * 1024 * 1024),
  MAX_CONCURRENCY: integer(5000, 1, 1_000_000),
  SHED_LAG_MS: integer(500, 20, 60_000),
  MAX_CONCURRENCY_PER_KEY: integer(1000, 1, 100_000),
  KEY_RPM: integer(1_000_000, 1, 100_000_000),
  KEY_TPM: integer(1_000_000_000, 1, 100_000_000_000),
  REQUEST_TIMEOUT_MS: integer(600_000, 1000, 3_600_000),
  READER_TIMEOUT_MS: integer(60_000, 100, 3_600_000),
  SETTLE_TIMEOUT_MS: integer(30_000, 100, 600_000),
  HOPS: integer(3, 1, 20),
  BREAKER_FAILURES: integer(5, 0, 100_000),
  BREAKER_COOL_MS: integer(5_000, 10, 3_600_000),
  BREAKER_COOL_MOST_MS: integer(120_000, 10, 86_400_000),
  LEASE_LIFE_MS: integer(30_000, 1000, 600_000),
  METRICS_TOKEN: text,
  /** What a worker is, from the process that started it: nothing that anybody else sets. */
  TOLLGATE_WORKER: text,
  TOLLGATE_UPKEEP: z.enum(['yes', 'no']).default('yes'),
  TOLLGATE_CONSOLE_SOCKET: text,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export type Env = z.infer<typeof schema>

/** Where the gateway is reached, from the settings alone: a request's Host header never gets in. */
export const publicUrl = (env: Pick<Env, 'PUBLIC_URL' | 'PORT'>): string => env.PUBLIC_URL ?? `http://localhost:${env.PORT}`

/**
 * Reads the settings. Throws one error that names every setting at fault and what it takes instead;
 * values are never part of the message, because some of them are secrets.
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`These settings in the environment cannot be used:\n${lines.join('\n')}`)
}
