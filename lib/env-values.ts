import { z } from 'zod'
import { readWhole } from './contracts/common.ts'
import { SETTINGS } from './contracts/settings.ts'

// What settings of the environment can be. Each says what it takes where it cannot take what it was given.

/** What stands between commas. */
export const listed = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** A scheme, a host and perhaps a port, written as browsers write them in `Origin`: no path, no slash at the end. */
export const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

export const text = z.string().optional()

const PUBLIC = 'an address such as https://ai.example.com, without a query, a fragment or credentials'

/** Where the gateway is reached, as links begin with it: a path may follow, and no slash comes last. */
export const publicAddress = z
  .url({ protocol: /^https?$/, abort: true, error: PUBLIC })
  .refine((text) => !/[?#]/.test(text) && new URL(text).username === '' && new URL(text).password === '', {
    error: PUBLIC,
    abort: true,
  })
  .transform((text) => {
    const { origin, pathname } = new URL(text)
    return origin + pathname.replace(/\/+$/, '')
  })

/** An address of one of some schemes, of which the first is shown. */
export const address = (protocol: RegExp, example: string) => z.url({ protocol, error: `an address such as ${example}` })
export const webAddress = address(/^https?$/, 'https://api.example.com')

const REDIS = 'redis://host:6379'
/** A Redis. Behind the host stands the number of a database, or nothing: anything else would be taken for the first one. */
export const redisAddress = address(/^rediss?$/, REDIS).refine((text) => /^\/?\d*$/.test(new URL(text).pathname), {
  error: `an address such as ${REDIS}, or ${REDIS}/3 for a database other than the first`,
})

const DATABASE = 'an address such as postgres://user:password@host:5432/name'
const HIDING = `${DATABASE}, in which special characters of a password are written as %23 for #, %2F for / and so on`

/** Without a host its socket is named behind the question mark, as in postgres://user@/name?host=/run/postgresql. */
const isRead = (text: string): boolean =>
  !text.includes('#') && (URL.canParse(text) || URL.canParse(text.replace('@/', '@host/')))

/** What the driver takes for `verify-full`, with a warning at each start that its next major will not. */
const CHECKED_TOO = /(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/

/** Where a database is. Its driver reads it once more, and would only say that it cannot. */
export const databaseAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//i, { error: DATABASE, abort: true })
  .refine(isRead, { error: HIDING })
  .transform((text) => (/[?&]uselibpqcompat=true(&|$)/.test(text) ? text : text.replace(CHECKED_TOO, 'verify-full')))

/** A whole number in digits, both bounds included; `fallback` where the variable is not set. */
export function integer(fallback: number, least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`
  const number = z.number({ error }).int({ error, abort: true }).min(least, { error }).max(most, { error })
  return z.preprocess(readWhole, number).default(fallback)
}

/** A number that can be changed while the gateway runs, with the bounds that it has there. */
export const live = (name: LiveNumber, fallback: number) => integer(fallback, SETTINGS[name].least, SETTINGS[name].most)

type LiveNumber = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['kind'] extends 'whole' | 'span' ? Name : never
}[keyof typeof SETTINGS]

const SHARE = { error: 'a number from 0 to 1' }
export const share = z.coerce.number(SHARE).min(0, SHARE).max(1, SHARE)
