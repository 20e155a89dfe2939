/** Kinds of models that a vendor may offer, named as in catalog entries. */
export type VendorModality = 'chat' | 'completion' | 'embedding' | 'image' | 'speech' | 'transcription' | 'video'

/**
 * A field of the form for a connection. Its label and help are in the messages under its name (`vendorFields`). A name that
 * several kinds share means the same in each of them.
 */
export interface CredentialField {
  name: string
  required: boolean
  /** Stored sealed, and never shown again. */
  secret: boolean
  /** An example value, the same in every language. */
  placeholder?: string
  /** The value that is used if none is given. */
  fallback?: string
  /** A text of several lines, such as a key file. */
  lines?: true
  /** The pattern that a value has to match. */
  pattern?: RegExp
}

/** A kind of connection: what it needs, and what it offers. */
export interface VendorKind {
  id: string
  /** The vendor's own name. */
  label: string
  modalities: readonly VendorModality[]
  /** How it is called: over its own wire, which is OpenAI's; through a package of the AI SDK; or not at all. */
  reached: 'forwarded' | 'bridged' | 'simulated'
  /** Its address if none is given. `{name}` stands for a field's value. Null if there is no default. */
  baseUrl: string | null
  fields: readonly CredentialField[]
  /** Sets of fields, one of which has to be given in full. */
  anyOf?: readonly (readonly string[])[]
  /** Whether it can be asked for the names of its models. */
  listsModels: boolean
  /** Whether its chats search the web for models that have a price for searches. */
  searches?: true
  /** The environment variable from which its own tools take the key. If it is set, the vendor is connected at startup. */
  env?: string
}

/** The matching variable for another address of the vendor: `MISTRAL_BASE_URL` for `MISTRAL_API_KEY`. */
export const baseUrlVariable = (env: string): string => `${env.replace(/_API_(KEY|TOKEN)$|_KEY$/, '')}_BASE_URL`

/** What is stored about a connection. */
export interface ConnectionSettings {
  baseUrl: string | null
  /** A single secret as it is, several as a JSON object by field name. Null if there is none. */
  secret: string | null
}

/** A field that cannot be accepted, and why, as a key of the messages (`vendorFields.errors`). */
export interface FieldProblem {
  field: string
  problem: 'missing' | 'malformed' | 'unknown'
}

/** The field that overrides a kind's own address. */
export const BASE_URL = 'baseUrl'

/**
 * Turns the entered values into the settings to store. `entered` has values by the names of the kind's fields; empty values
 * count as not given. Returns the settings, or everything that is wrong.
 */
export function parseConnectionSettings(
  kind: VendorKind,
  entered: Readonly<Record<string, string | undefined>>,
): { settings: ConnectionSettings } | { problems: [FieldProblem, ...FieldProblem[]] } {
  const known = new Set(kind.fields.map(({ name }) => name))
  const problems: FieldProblem[] = Object.keys(entered)
    .filter((field) => !known.has(field))
    .map((field) => ({ field, problem: 'unknown' }))
  const values = new Map<string, string>()
  for (const field of kind.fields) {
    const value = entered[field.name]?.trim() || field.fallback
    if (value === undefined) {
      if (field.required) problems.push({ field: field.name, problem: 'missing' })
    } else if (!isValidValue(field, value)) problems.push({ field: field.name, problem: 'malformed' })
    else values.set(field.name, value)
  }
  const sets = kind.anyOf ?? []
  if (sets.length > 0 && !sets.some((names) => names.every((name) => values.has(name))))
    problems.push({ field: sets[0]?.[0] ?? '', problem: 'missing' })
  const [first, ...others] = problems
  if (first) return { problems: [first, ...others] }
  const template = values.get(BASE_URL) ?? kind.baseUrl
  const baseUrl = template?.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '') ?? null
  return { settings: { baseUrl, secret: secretOf(kind, values) } }
}

function isValidValue({ name, pattern }: CredentialField, value: string): boolean {
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
 * The secrets of a connection by field name. Several are stored as a JSON object. Any other text, such as an API key, is
 * returned under `apiKey`.
 */
export function parseSecrets(secret: string | null): Readonly<Record<string, string>> {
  if (secret === null) return {}
  if (!secret.startsWith('{')) return { apiKey: secret }
  try {
    const parsed = Object.entries(JSON.parse(secret) as object).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(parsed)
  } catch {
    return { apiKey: secret }
  }
}
