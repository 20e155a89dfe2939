import { z } from 'zod'
import { time } from './common.ts'

const integer = (least: number, most: number) => ({
  kind: 'whole' as const,
  least,
  most,
  type: z.number().int().min(least).max(most),
})
/** Milliseconds; the page shows seconds. */
const duration = (least: number, most: number) => ({ ...integer(least, most), kind: 'span' as const })

const AMOUNT = /^\d{1,6}(\.\d{1,9})?$/
/** Currency units as a decimal. */
const amount = { kind: 'amount' as const, type: z.string().regex(AMOUNT, 'an amount below 1000000 such as 0, 1 or 2.50') }

/** A notice that account holders see above every page until it ends. */
export const platformNotice = z.strictObject({
  text: z.string().trim().min(1).max(500),
  severity: z.enum(['info', 'warn', 'bad']),
  /** Null: until somebody removes it. */
  until: time.nullable(),
})
export type PlatformNotice = z.infer<typeof platformNotice>

/**
 * Every setting that can be changed while the gateway runs: the values that it takes, the environment variable that provides
 * its value until an operator sets one (null: the built-in value), and which processes use it. `lib/env-settings.ts` takes the types
 * from here.
 */
export const SETTINGS = {
  maintenance: { area: 'house', env: null, usedBy: 'all', kind: 'switch', type: z.boolean() },
  notice: { area: 'house', env: null, usedBy: 'console', kind: 'notice', type: platformNotice.nullable() },
  signUp: {
    area: 'accounts',
    env: 'SIGN_UP',
    usedBy: 'console',
    kind: 'choice',
    options: ['open', 'closed'],
    type: z.enum(['open', 'closed']),
  },
  signUpCredit: { area: 'accounts', env: 'SIGN_UP_CREDIT', usedBy: 'console', ...amount },
  historyDays: { area: 'accounts', env: null, usedBy: 'console', ...integer(1, 365) },
  topUpMin: { area: 'payments', env: 'TOP_UP_MIN', usedBy: 'console', ...amount },
  topUpMax: { area: 'payments', env: 'TOP_UP_MAX', usedBy: 'console', ...amount },
  keyRpm: { area: 'limits', env: 'KEY_RPM', usedBy: 'gateway', ...integer(1, 100_000_000) },
  keyTpm: { area: 'limits', env: 'KEY_TPM', usedBy: 'gateway', ...integer(1, 100_000_000_000) },
  keyConcurrency: { area: 'limits', env: 'MAX_CONCURRENCY_PER_KEY', usedBy: 'gateway', ...integer(1, 100_000) },
  accountConcurrency: { area: 'limits', env: 'MAX_CONCURRENCY_PER_ACCOUNT', usedBy: 'gateway', ...integer(1, 1_000_000) },
  concurrency: { area: 'limits', env: 'MAX_CONCURRENCY', usedBy: 'gateway', ...integer(1, 1_000_000) },
  shedLagMs: { area: 'limits', env: 'SHED_LAG_MS', usedBy: 'gateway', ...duration(20, 60_000) },
  requestTimeoutMs: { area: 'calls', env: 'REQUEST_TIMEOUT_MS', usedBy: 'gateway', ...duration(1000, 3_600_000) },
  readerTimeoutMs: { area: 'calls', env: 'READER_TIMEOUT_MS', usedBy: 'gateway', ...duration(100, 3_600_000) },
  hops: { area: 'calls', env: 'HOPS', usedBy: 'gateway', ...integer(1, 20) },
  breakerFailures: { area: 'calls', env: 'BREAKER_FAILURES', usedBy: 'gateway', ...integer(0, 100_000) },
  breakerCoolMs: { area: 'calls', env: 'BREAKER_COOL_MS', usedBy: 'gateway', ...duration(10, 3_600_000) },
  breakerCoolMostMs: { area: 'calls', env: 'BREAKER_COOL_MOST_MS', usedBy: 'gateway', ...duration(10, 86_400_000) },
} as const

export type SettingName = keyof typeof SETTINGS
export type SettingArea = (typeof SETTINGS)[SettingName]['area']
export type SettingValues = { [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]['type']> }

/** The values of settings that have no environment variable. */
export const BUILT_IN_DEFAULTS = { maintenance: false, notice: null, historyDays: 30 } as const

export const settingNames = Object.keys(SETTINGS) as SettingName[]
const settingName = z.enum(settingNames as [SettingName, ...SettingName[]])
const value = z.union([z.boolean(), z.number(), z.string(), platformNotice, z.null()])
const version = z.number().int().min(0)

export const settingRow = z.object({
  name: settingName,
  value,
  /** The value that it has, or would have, without an operator's. */
  usual: value,
  /** Whether an operator has set it. */
  set: z.boolean(),
  version,
  changedAt: time.nullable(),
  changedBy: z.string().nullable(),
})
export type SettingRow = z.infer<typeof settingRow>

/** GET /api/operator/settings */
export const settingList = z.object({ rows: z.array(settingRow), currency: z.string() })
export type SettingList = z.infer<typeof settingList>

/** PATCH /api/operator/settings: all of them or none. `usual: true` goes back to the environment's value. */
export const changeSettingsInput = z.strictObject({
  changes: z
    .array(
      z.union([
        z.strictObject({ name: settingName, version, value: z.unknown() }),
        z.strictObject({ name: settingName, version, usual: z.literal(true) }),
      ]),
    )
    .min(1)
    .max(settingNames.length),
})
export type ChangeSettingsInput = z.infer<typeof changeSettingsInput>
