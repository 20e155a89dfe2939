import { TIMEOUT_MS } from '#lib/contracts/operator-connections'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { BASE_URL, type FieldProblem, parseConnectionSettings, type VendorKind } from '#lib/domain/vendor-kinds'
import { withoutGroups } from '../../read-amount.ts'

/** The fields of a connection's form, as typed. */
export interface ConnectionForm {
  name: string
  kind: string
  baseUrl: string
  credentials: Record<string, string>
  /** One header per line, `Name: value`. A line without a value keeps the stored one. */
  headers: string
  proxy: string
  connectTimeoutS: string
  headersTimeoutS: string
  idleTimeoutS: string
  concurrency: string
}

const withoutPlaceholders = (baseUrl: string | null | undefined): string => (baseUrl && !baseUrl.includes('{') ? baseUrl : '')

/** The form of a new connection of a kind. */
export const newConnectionForm = (kind: string): ConnectionForm => ({
  name: kind === 'openai-compatible' ? 'local' : kind,
  kind,
  // An address with placeholders is built from other fields once they are filled in.
  baseUrl: withoutPlaceholders(vendorKind(kind)?.baseUrl),
  credentials: {},
  headers: '',
  proxy: '',
  connectTimeoutS: '5',
  headersTimeoutS: '120',
  idleTimeoutS: '120',
  concurrency: '',
})

const LINE = /^\s*([^:\s]+)\s*(?::(.*))?$/

/** Reads one header per line. Null if a line is invalid. */
export function readHeaders(text: string): Record<string, string | null> | null {
  const headers: Record<string, string | null> = {}
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, value] = LINE.exec(line) ?? []
    if (name === undefined) return null
    headers[name] = value === undefined || value.trim() === '' ? null : value.trim()
  }
  return headers
}

function readSeconds(text: string): number | null {
  if (!/^\d{1,4}(\.\d)?$/.test(text.trim())) return null
  const milliseconds = Math.round(Number(text) * 1000)
  return milliseconds < TIMEOUT_MS.least || milliseconds > TIMEOUT_MS.most ? null : milliseconds
}

export type ConnectionFault = 'seconds' | 'whole' | 'header'

type Read = { values: Record<string, unknown>; faults: null } | { values: null; faults: Record<string, ConnectionFault> }

/** The API values of the fields that new and existing connections share, or the invalid fields. */
export function readConnectionForm(form: ConnectionForm): Read {
  const faults: Record<string, ConnectionFault> = {}
  const seconds = (name: string, text: string) => {
    const value = readSeconds(text)
    if (value === null) faults[name] = 'seconds'
    return value
  }
  const headers = readHeaders(form.headers)
  if (headers === null) faults.headers = 'header'
  const concurrency = withoutGroups(form.concurrency)
  if (concurrency !== '' && !/^[1-9]\d{0,5}$/.test(concurrency)) faults.concurrency = 'whole'
  const values = {
    name: form.name.trim(),
    baseUrl: form.baseUrl.trim() === '' ? null : form.baseUrl.trim(),
    headers,
    connectTimeoutMs: seconds('connectTimeoutMs', form.connectTimeoutS),
    headersTimeoutMs: seconds('headersTimeoutMs', form.headersTimeoutS),
    idleTimeoutMs: seconds('idleTimeoutMs', form.idleTimeoutS),
    concurrency: concurrency === '' ? null : Number(concurrency),
  }
  return Object.keys(faults).length > 0 ? { values: null, faults } : { values, faults: null }
}

/** The credentials that are not empty. */
export const filledCredentials = (form: ConnectionForm): Record<string, string> =>
  Object.fromEntries(Object.entries(form.credentials).filter(([, value]) => value.trim() !== ''))

/** Whether a kind of connection has an address. */
export const hasBaseUrl = (kind: VendorKind): boolean => kind.fields.some(({ name }) => name === BASE_URL)

/** Whether a kind of connection can list its models. */
export const canListModels = (kind: VendorKind | null): boolean =>
  kind === null || kind.listsModels || kind.reached === 'simulated'

/** What a new connection still lacks, by the field names of the API. */
export function findCredentialProblems(form: ConnectionForm): Record<string, FieldProblem['problem']> {
  const kind = vendorKind(form.kind)
  if (!kind) return {}
  const baseUrl = hasBaseUrl(kind) ? { [BASE_URL]: form.baseUrl } : {}
  const read = parseConnectionSettings(kind, { ...filledCredentials(form), ...baseUrl })
  const problems = 'problems' in read ? read.problems : []
  return Object.fromEntries(
    problems.map(({ field, problem }) => [field === BASE_URL ? BASE_URL : `credentials.${field}`, problem]),
  )
}
