import type { z } from 'zod'
import { SETTINGS } from './contracts/settings.ts'
import { currencyOf, toMinor } from './domain/currency.ts'
import { parseDecimal } from './domain/money.ts'
import type { Settings } from './env-settings.ts'

/** The settings of an object store are all set or none: with half of them, files would silently go to the disk. */
const S3_NEEDS = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** Both are needed: a payment that Stripe cannot report to the gateway would never be credited. */
const STRIPE_NEEDS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** Sign-in through a provider needs both settings. */
const PROVIDERS_NEED = [
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
] as const

/** Reports what is missing if some of these settings are set, but not all of them. */
function checkAllOrNone(names: readonly (keyof Settings)[], env: Settings, context: z.RefinementCtx): void {
  const given = names.filter((name) => env[name] !== undefined)
  for (const name of names)
    if (given.length > 0 && env[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: `also required if ${given[0]} is set` })
}

function checkPayments(env: Settings, context: z.RefinementCtx): void {
  checkAllOrNone(STRIPE_NEEDS, env, context)
  const currency = currencyOf(env.CURRENCY)
  if (currency === null) return
  const payable = (['TOP_UP_MIN', 'TOP_UP_MAX'] as const).map((name) => {
    // An invalid amount is already reported as such, so nothing else is said about it.
    if (!SETTINGS.topUpMin.type.safeParse(env[name]).success) return null
    const nano = parseDecimal(env[name]) ?? 0n
    if (toMinor(nano, currency)) return nano
    context.addIssue({ code: 'custom', path: [name], message: `an amount above zero that can be paid in ${currency.code}` })
    return null
  })
  const [min, max] = payable
  if (min != null && max != null && min > max)
    context.addIssue({ code: 'custom', path: ['TOP_UP_MAX'], message: 'at least TOP_UP_MIN' })
}

/** The console refuses this too. */
function checkBreakers(env: Settings, context: z.RefinementCtx): void {
  if (env.BREAKER_COOL_MS > env.BREAKER_COOL_MOST_MS)
    context.addIssue({
      code: 'custom',
      path: ['BREAKER_COOL_MOST_MS'],
      message: `at least BREAKER_COOL_MS (${env.BREAKER_COOL_MS})`,
    })
}

const CAPACITIES = [
  ['SPOOL_BYTES_PER_ACCOUNT', 'MAX_UPLOAD_BYTES', 'form'],
  ['SPOOL_BYTES', 'MAX_UPLOAD_BYTES', 'form'],
  ['BODY_BYTES_PER_ACCOUNT', 'MAX_BODY_BYTES', 'body'],
  ['BODY_BYTES', 'MAX_BODY_BYTES', 'body'],
] as const

/** A request that is larger than its account's room would be told to retry forever. */
function checkCapacities(env: Settings, context: z.RefinementCtx): void {
  for (const [name, maxName, what] of CAPACITIES)
    if (env[name] < env[maxName])
      context.addIssue({ code: 'custom', path: [name], message: `at least the largest ${what} (${maxName}, ${env[maxName]})` })
}

/** Pages and their assets are requested from the root of their host, and sign-in callbacks return there. */
function checkConsole(env: Settings, context: z.RefinementCtx): void {
  if (env.ROLE !== 'gateway' && env.PUBLIC_URL !== undefined && new URL(env.PUBLIC_URL).pathname !== '/')
    context.addIssue({
      code: 'custom',
      path: ['PUBLIC_URL'],
      message: 'an address without a path, which only a gateway without a console (ROLE=gateway) can have',
    })
}

function checkObjectStore(env: Settings, context: z.RefinementCtx): void {
  if (env.S3_ENDPOINT === undefined && S3_NEEDS.every((name) => env[name] === undefined)) return
  for (const name of S3_NEEDS)
    if (env[name] === undefined)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `also required if one of ${S3_NEEDS.join(', ')} or S3_ENDPOINT is set`,
      })
}

/** Reports settings that are valid by themselves, but not together. */
export function checkTogether(env: Settings, context: z.RefinementCtx): void {
  checkPayments(env, context)
  checkCapacities(env, context)
  checkConsole(env, context)
  checkBreakers(env, context)
  for (const names of PROVIDERS_NEED) checkAllOrNone(names, env, context)
  checkObjectStore(env, context)
}
