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
export function knownKind(id: string): VendorKind {
  const kind = vendorKind(id)
  if (!kind) throw invalidField('kind', messageWith('There is no connection kind "{kind}".', { kind: id }))
  return kind
}

interface Given {
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
export function connectionValues(kind: VendorKind, { baseUrl, credentials }: Given): ConnectionSettings {
  const addressed = kind.fields.some(({ name }) => name === BASE_URL)
  const entered = { ...credentials, ...(addressed && baseUrl !== null ? { [BASE_URL]: baseUrl } : {}) }
  const whole = baseUrl !== null && !baseUrl.includes('{')
  const fields = kind.fields
    .filter(({ secret }) => credentials !== null || !secret)
    .map((field) => (whole && !field.secret && field.name !== BASE_URL ? { ...field, required: false } : field))
  const { anyOf, ...rest } = kind
  const read = parseConnectionSettings({ ...rest, fields, ...(anyOf && credentials ? { anyOf } : {}) }, entered)
  if ('problems' in read) throw refusedField(kind, read.problems[0])
  return { ...read.settings, baseUrl: read.settings.baseUrl && checkedAddress(read.settings.baseUrl) }
}

/** Whether the given values contain a part of the address, and not only secrets. */
export const namesPlace = (kind: VendorKind, credentials: Readonly<Record<string, string>>): boolean =>
  kind.fields.some(({ name, secret }) => !secret && (credentials[name] ?? '') !== '')

/** Whether a kind's own address is built from fields. */
export const isBuilt = (kind: VendorKind): boolean => kind.baseUrl?.includes('{') === true

function refusedField({ label }: VendorKind, { field, problem }: FieldProblem = { field: '', problem: 'unknown' }): Error {
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

function checkedAddress(baseUrl: string): string {
  const { username, password } = new URL(baseUrl)
  if (username !== '' || password !== '')
    throw invalidField(
      'baseUrl',
      'The address is displayed, so it cannot contain a user name and password. Put them in a header.',
    )
  return baseUrl.replace(/\/+$/, '')
}

/** Seals headers for storage. A null value keeps the header's stored value. Errors: `invalid_input` (headers). */
export function sealedHeaders(
  given: Record<string, string | null>,
  known: Record<string, string>,
  sealing: Sealing,
): Uint8Array | null {
  const kept = Object.entries(given).map(([name, value]): [string, string] => {
    const whole = value ?? known[name]
    if (whole === undefined)
      throw invalidField('headers', messageWith('The header "{name}" has no value yet. Enter one.', { name }))
    return [name, whole]
  })
  return kept.length === 0 ? null : sealing.seal(JSON.stringify(Object.fromEntries(kept)))
}
