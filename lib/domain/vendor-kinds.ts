/** Kinds of models that a vendor may have, by the names of catalog entries. */
export type VendorModality = 'chat' | 'completion' | 'embedding' | 'image' | 'speech' | 'transcription' | 'video'

/**
 * One thing that a connection is made with. Its label and help stand under its name in the messages (`vendorFields`);
 * names that several kinds share mean the same everywhere.
 */
export interface CredentialField {
  name: string
  required: boolean
  /** Kept sealed, and never shown again. */
  secret: boolean
  /** An example of it, the same in every language. */
  placeholder?: string
  /** What is taken where nothing is given. */
  fallback?: string
  /** A text of several lines, such as a key file. */
  lines?: true
  /** What a value has to look like. */
  pattern?: RegExp
}

/** One kind of connection: what it needs, and what can be had through it. */
export interface VendorKind {
  id: string
  /** The vendor's own name for itself. */
  label: string
  modalities: readonly VendorModality[]
  /** How it is asked: in its own wire, which is OpenAI's; through a package of the AI SDK; or not at all. */
  reached: 'forwarded' | 'bridged' | 'simulated'
  /** Its address where none is given. `{name}` stands for a field's value. Null where there is none to guess. */
  baseUrl: string | null
  fields: readonly CredentialField[]
  /** Sets of fields, one of which has to be given whole. */
  anyOf?: readonly (readonly string[])[]
  /** It can be asked for the names of its models. */
  listsModels: boolean
  /** The variable that its own tools take its key from: where it is set, a start connects the vendor. */
  env?: string
}

/** The variable beside it that has another address of the vendor: `MISTRAL_BASE_URL` for `MISTRAL_API_KEY`. */
export const addressVariable = (env: string): string => `${env.replace(/_API_(KEY|TOKEN)$|_KEY$/, '')}_BASE_URL`

/** What is stored of a connection. */
export interface ConnectionSettings {
  baseUrl: string | null
  /** The only secret as it is; several as a JSON object by their fields' names. Null where there is none. */
  secret: string | null
}

/** A field that cannot be taken, and why, as a key of messages (`vendorFields.errors`). */
export interface FieldProblem {
  field: string
  problem: 'missing' | 'malformed' | 'unknown'
}

/** The field that overrides a kind's own address. */
export const BASE_URL = 'baseUrl'

/**
 * Puts what was entered into what is stored. `entered` has values by the names of the kind's fields; empty ones count
 * as not given. Answers all that is wrong, or the settings.
 */
export function connectionSettings(
  kind: VendorKind,
  entered: Readonly<Record<string, string | undefined>>,
): { settings: ConnectionSettings } | { problems: FieldProblem[] } {
  const known = new Set(kind.fields.map(({ name }) => name))
  const problems: FieldProblem[] = Object.keys(entered)
    .filter((field) => !known.has(field))
    .map((field) => ({ field, problem: 'unknown' }))
  const values = new Map<string, string>()
  for (const field of kind.fields) {
    const value = entered[field.name]?.trim() || field.fallback
    if (value === undefined) {
      if (field.required) problems.push({ field: field.name, problem: 'missing' })
    } else if (!fits(field, value)) problems.push({ field: field.name, problem: 'malformed' })
    else values.set(field.name, value)
  }
  const sets = kind.anyOf ?? []
  if (sets.length > 0 && !sets.some((names) => names.every((name) => values.has(name))))
    problems.push({ field: sets[0]?.[0] ?? '', problem: 'missing' })
  if (problems.length > 0) return { problems }
  const template = values.get(BASE_URL) ?? kind.baseUrl
  const baseUrl = template?.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '') ?? null
  return { settings: { baseUrl, secret: secretOf(kind, values) } }
}

function fits({ name, pattern }: CredentialField, value: string): boolean {
  if (name === BASE_URL) return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
  return pattern?.test(value) ?? true
}

function secretOf({ fields }: VendorKind, values: ReadonlyMap<string, string>): string | null {
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => name)
  const given = secrets.flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (secrets.length <= 1) return given[0]?.[1] ?? null
  return given.length === 0 ? null : JSON.stringify(Object.fromEntries(given))
}

/**
 * The secrets of a connection by their fields' names: several are stored as a JSON object. A text that is none, such as
 * an API key, stands under `apiKey`.
 */
export function secretsIn(secret: string | null): Readonly<Record<string, string>> {
  if (secret === null) return {}
  if (!secret.startsWith('{')) return { apiKey: secret }
  try {
    const parsed = Object.entries(JSON.parse(secret) as object).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(parsed)
  } catch {
    return { apiKey: secret }
  }
}
