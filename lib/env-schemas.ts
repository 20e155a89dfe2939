import { z } from 'zod'
import { parseInteger } from './contracts/common.ts'
import { SETTINGS } from './contracts/settings.ts'

// Schemas for the values of environment settings. Each one's error says what the setting takes.

/** The items of a list that is separated by commas, without blanks around them. Empty items are left out. */
export const parseList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Whether a text is a scheme, a host and an optional port, as browsers write them in `Origin`: no path, no trailing slash. */
export const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

export const optionalText = z.string().optional()

const PUBLIC_URL_ERROR = 'an address such as https://ai.example.com, without a query, a fragment or credentials'

/** The public address of the gateway, which links begin with. It may have a path; trailing slashes are removed. */
export const publicUrlSchema = z
  .url({ protocol: /^https?$/, abort: true, error: PUBLIC_URL_ERROR })
  .refine((text) => !/[?#]/.test(text) && new URL(text).username === '' && new URL(text).password === '', {
    error: PUBLIC_URL_ERROR,
    abort: true,
  })
  .transform((text) => {
    const { origin, pathname } = new URL(text)
    return origin + pathname.replace(/\/+$/, '')
  })

/** An address with one of the given schemes. The error message shows `example`. */
const urlSchema = (protocol: RegExp, example: string) => z.url({ protocol, error: `an address such as ${example}` })
export const webUrlSchema = urlSchema(/^https?$/, 'https://api.example.com')

/** The sender of mails: an address, or a name with an address. Without one, mail servers would get an empty sender. */
export const senderSchema = z
  .string()
  .regex(/^(?:[^<>]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/, 'a sender such as Tollgate <tollgate@example.com>')

const ENCODING = 'in which special characters of a password are written as %23 for #, %2F for / and so on'

/** The address of a server that may ask for a password. What follows an unwritten # or ? of a password would not be part of it. */
const serverUrlSchema = (protocol: RegExp, example: string) => {
  const error = `the address of one server, such as ${example}, ${ENCODING}`
  return z.url({ protocol, error, abort: true }).refine((text) => !/#|\?.*@/.test(text), { error, abort: true })
}
export const mailServerSchema = serverUrlSchema(/^smtps?$/, 'smtps://user:password@mail.example.com')

const REDIS = 'redis://:password@host:6379'
/**
 * The address of a Redis. After the host comes the number of a database or nothing: anything else would be read as the first
 * database.
 */
export const redisUrlSchema = serverUrlSchema(/^rediss?$/, REDIS).refine((text) => /^\/?\d*$/.test(new URL(text).pathname), {
  error: `an address such as ${REDIS}, or ${REDIS}/3 for a database other than the first`,
})

const DATABASE_URL_ERROR = 'an address such as postgres://user:password@host:5432/name'
const DATABASE_ENCODING_ERROR = `${DATABASE_URL_ERROR}, ${ENCODING}`

/** Without a host, the socket is named in the query, as in postgres://user@/name?host=/run/postgresql. */
const isParsable = (text: string): boolean =>
  !text.includes('#') && (URL.canParse(text) || URL.canParse(text.replace('@/', '@host/')))

/** The modes that the driver treats as `verify-full`, with a warning at each start that its next major version will not. */
const VERIFYING_SSL_MODES = /(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/

/** The address of a database. The driver parses it again, and would only report that it is invalid. */
export const databaseUrlSchema = z
  .string()
  .regex(/^postgres(ql)?:\/\//i, { error: DATABASE_URL_ERROR, abort: true })
  .refine(isParsable, { error: DATABASE_ENCODING_ERROR })
  .transform((text) => (/[?&]uselibpqcompat=true(&|$)/.test(text) ? text : text.replace(VERIFYING_SSL_MODES, 'verify-full')))

/** A whole number in digits, with both bounds included. `fallback` is used if the variable is not set. */
export function integer(fallback: number, min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`
  const number = z.number({ error }).int({ error, abort: true }).min(min, { error }).max(max, { error })
  return z.preprocess(parseInteger, number).default(fallback)
}

/** A number that can be changed while the gateway runs. It has the same bounds in the environment as in the console. */
export const liveInteger = (name: LiveNumber, fallback: number) => integer(fallback, SETTINGS[name].least, SETTINGS[name].most)

type LiveNumber = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['kind'] extends 'whole' | 'span' ? Name : never
}[keyof typeof SETTINGS]

const SHARE = { error: 'a number from 0 to 1' }
export const share = z.coerce.number(SHARE).min(0, SHARE).max(1, SHARE)
