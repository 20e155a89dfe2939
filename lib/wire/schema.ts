import { z } from 'zod'
import { Refusal } from '../domain/errors.ts'
import { fieldIn } from '../domain/field-in.ts'
import { findUnsafeLength } from '../domain/unsafe-length.ts'

type Issue = z.core.$ZodIssue

/** Some names are the client's own, and can be as long as a body. */
const MAX_NAME_LENGTH = 64

/** Writes a path as callers write it: `messages[0].content[1].text`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = String(part).slice(0, MAX_NAME_LENGTH)
    return text === '' ? name : `${text}.${name}`
  }, '')
}

const UNSPECIFIC_MESSAGE = 'Invalid input'
/** The issues of values whose form is right. */
const VALUE_ISSUE_CODES = new Set<Issue['code']>(['too_big', 'too_small', 'invalid_format', 'custom'])

/**
 * The branch of a union that best explains what is wrong: the one that got furthest. If several did, one whose form the value
 * has.
 */
function deepestIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  const inner = issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .map((child) => deepestIssue({ ...child, path: [...issue.path, ...child.path] }))
    .sort((a, b) => b.path.length - a.path.length)
  const [first] = inner
  if (first && first.path.length > issue.path.length) return first
  return (issue.message === UNSPECIFIC_MESSAGE && inner.find(({ code }) => VALUE_ISSUE_CODES.has(code))) || issue
}

/** Turns what zod found into the 400 that names the field. */
export function refusalOfIssues(issues: readonly Issue[]): Refusal {
  const [first] = issues
  if (!first) return new Refusal('invalid_request', 'The request could not be read.')
  const issue = deepestIssue(first)
  const path = formatPath(issue.path)
  const text =
    issue.code === 'invalid_union' && issue.message === UNSPECIFIC_MESSAGE
      ? 'it does not match any accepted format'
      : issue.message
  const message = path === '' ? `The request is not accepted: ${text}.` : `The field "${path}" is not accepted: ${text}.`
  return new Refusal('invalid_request', message, path === '' ? {} : { param: path })
}

/**
 * Parses a request with its schema. Throws the 400 that names the first invalid field. It stops there, because a list of
 * everything that is wrong with millions of items would be larger than the memory of this process.
 */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = safeParseWith(schema, value)
  if (!parsed.success) throw refusalOfIssues(parsed.error.issues)
  return parsed.data
}

const PARSE_CONTEXT = {
  // zod does not expose this setting (ParseContextInternal); tests/integration/gateway-regressions.test.ts guards it.
  abortEarly: true,
  error: (issue) => (issue.code === 'invalid_type' && issue.input === undefined ? 'it is missing' : undefined),
} as z.core.ParseContext<Issue>

/** Compiled schemas, each made at its first use. The reasons for a rejection come from the schema itself. */
const compiled = new WeakMap<z.ZodType, z.ZodType>()

function compiledSchemaOf<T extends z.ZodType>(schema: T): T {
  const known = compiled.get(schema) as T | undefined
  if (known) return known
  const made = z.compile(schema)
  compiled.set(schema, made)
  return made
}

function safeParseWith<T extends z.ZodType>(schema: T, value: unknown) {
  try {
    return compiledSchemaOf(schema).safeParse(value, PARSE_CONTEXT)
  } catch (error) {
    const path = findUnsafeLength(value)
    throw path === null ? error : refusalOfIssues([{ code: 'custom', path, message: 'it does not match any accepted format' }])
  }
}

const REFUSED_STATE =
  'it refers to something stored in a vendor account, which this gateway cannot reach. Leave it out and send the content itself'
const REFUSED_BILLED = 'it can start something that is billed separately and has no price here. Leave it out'

/** What is said about a tool of a type that does not run here. `allowed` lists those that do. */
export const refuseTool =
  (allowed: string) =>
  ({ input }: { input?: unknown }): string => {
    const type = fieldIn(input, 'type')
    const found = typeof type === 'string' ? `leave out the tool "${type.slice(0, MAX_NAME_LENGTH)}". Only` : 'only'
    return `${found} tools of type ${allowed} run here; a vendor's hosted tools are billed separately`
  }

const refusedFieldSchemas = new WeakSet<object>()

/** Whether a field is in a schema only to be refused. */
export const isRefusedField = (field: object): boolean => refusedFieldSchemas.has(field)

function mustBeAbsent(message: string) {
  const field = z
    .any()
    .refine((value) => value === undefined || value === null, { message })
    .optional()
  refusedFieldSchemas.add(field)
  return field
}

/** A field that names state in the vendor's account. */
export const vendorStateField = () => mustBeAbsent(REFUSED_STATE)
/** A field that can start a separately billed unit. */
export const separatelyBilledField = () => mustBeAbsent(REFUSED_BILLED)
/** A field that some vendors take in place of a file: what is not uploaded can be neither checked nor measured. */
export const uploadOnlyField = (file: string) => mustBeAbsent(`the gateway does not fetch it. Upload it as "${file}"`)
/** A field of another endpoint. */
export const fieldOfEndpoint = (path: string) => mustBeAbsent(`it belongs to POST ${path}. Send the request there`)
/** A field of another endpoint that has another name here. */
export const renamedField = (name: string) => mustBeAbsent(`it is called "${name}" here. Send it under that name`)

/**
 * What no endpoint forwards: fields that name state in a vendor's account, or that can start a separately billed unit. An
 * endpoint that has such a field of its own overrides it after these.
 */
export const refusedFields = {
  previous_response_id: vendorStateField(),
  conversation: vendorStateField(),
  container: vendorStateField(),
  vector_store_ids: vendorStateField(),
  file_ids: vendorStateField(),
  web_search_options: separatelyBilledField(),
  service_tier: separatelyBilledField(),
}

/** For a refinement: stream options are allowed only with a stream. */
export const hasStreamForOptions = (body: { stream?: unknown; stream_options?: unknown }): boolean =>
  body.stream === true || body.stream_options == null

export const STREAM_OPTIONS_ERROR = { path: ['stream_options'], error: 'it requires "stream": true' }
