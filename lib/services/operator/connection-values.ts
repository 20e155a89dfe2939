import { vendorKind } from '../../domain/vendor-kind-list.ts'
import {
  BASE_URL,
  type ConnectionSettings,
  type FieldProblem,
  parseConnectionSettings,
  type VendorKind,
} from '../../domain/vendor-kinds.ts'
import { messageWith } from '../../messages/message.ts'
import { invalidField } from '../service-error.ts'
import type { Sealing } from './operator-ports.ts'

/** Looks up a connection kind. Errors: `invalid_input` (kind). */
export function requireKind(id: string): VendorKind {
  const kind = vendorKind(id)
  if (!kind) throw invalidField('kind', messageWith('There is no connection kind "{kind}".', { kind: id }))
  return kind
}

interface EnteredSettings {
  /** Null for the kind's own address, which may have to be built from values among the credentials. */
  baseUrl: string | null
  /** By the names of the kind's fields. Null if the stored ones stay: then only the address is required. */
  credentials: Readonly<Record<string, string>> | null
}

/**
 * Computes what is stored for a connection: its address, and its secrets as one text. If the whole address is given, the fields
 * that build it are not required.
 * Errors: `invalid_input` (baseUrl, credentials.NAME).
 */
export function connectionValues(kind: VendorKind, { baseUrl, credentials }: EnteredSettings): ConnectionSettings {
  const takesBaseUrl = kind.fields.some(({ name }) => name === BASE_URL)
  const entered = { ...credentials, ...(takesBaseUrl && baseUrl !== null ? { [BASE_URL]: baseUrl } : {}) }
  const hasFullBaseUrl = baseUrl !== null && !baseUrl.includes('{')
  const fields = kind.fields
    .filter(({ secret }) => credentials !== null || !secret)
    .map((field) => (hasFullBaseUrl && !field.secret && field.name !== BASE_URL ? { ...field, required: false } : field))
  const { anyOf, ...rest } = kind
  const read = parseConnectionSettings({ ...rest, fields, ...(anyOf && credentials ? { anyOf } : {}) }, entered)
  if ('problems' in read) throw createFieldError(kind, read.problems[0])
  return { ...read.settings, baseUrl: read.settings.baseUrl && normalizeBaseUrl(read.settings.baseUrl) }
}

/** Whether the given values contain a part of the address, and not only secrets. */
export const setsUrlPart = (kind: VendorKind, credentials: Readonly<Record<string, string>>): boolean =>
  kind.fields.some(({ name, secret }) => !secret && (credentials[name] ?? '') !== '')

/** Whether a kind's own address is built from fields. */
export const hasUrlTemplate = (kind: VendorKind): boolean => kind.baseUrl?.includes('{') === true

function createFieldError({ label }: VendorKind, { field, problem }: FieldProblem): Error {
  if (field === BASE_URL)
    return invalidField(
      'baseUrl',
      problem === 'missing'
        ? 'Enter the address that it listens on, for example http://localhost:11434/v1.'
        : 'Enter an address that begins with http:// or https://.',
    )
  const why = {
    missing: messageWith('{vendor} requires this.', { vendor: label }),
    malformed: 'This has the wrong format.',
    unknown: messageWith('{vendor} has no field "{field}".', { vendor: label, field }),
  } as const
  return invalidField(`credentials.${field}`, why[problem])
}

function normalizeBaseUrl(baseUrl: string): string {
  const { username, password } = new URL(baseUrl)
  if (username !== '' || password !== '')
    throw invalidField(
      'baseUrl',
      'The address is displayed, so it cannot contain a user name and password. Put them in a header.',
    )
  return baseUrl.replace(/\/+$/, '')
}

/** Seals headers for storage. A null value keeps the header's stored value. Errors: `invalid_input` (headers). */
export function sealHeaders(
  input: Record<string, string | null>,
  known: Record<string, string>,
  sealing: Sealing,
): Uint8Array | null {
  const entries = Object.entries(input).map(([name, value]): [string, string] => {
    const headerValue = value ?? known[name]
    if (headerValue === undefined)
      throw invalidField('headers', messageWith('The header "{name}" has no value yet. Enter one.', { name }))
    return [name, headerValue]
  })
  return entries.length === 0 ? null : sealing.seal(JSON.stringify(Object.fromEntries(entries)))
}
