import { BUILT_IN_DEFAULTS, SETTINGS, type SettingValues, settingNames } from './contracts/settings.ts'
import { VENDOR_KINDS } from './domain/vendor-kind-list.ts'
import { baseUrlVariable } from './domain/vendor-kinds.ts'
import { checkTogether } from './env-checks.ts'
import { webUrlSchema } from './env-schemas.ts'
import { type Settings, settings } from './env-settings.ts'

const schema = settings.superRefine(checkTogether)

/** A vendor whose key is in the environment. */
export interface EnvVendor {
  kind: string
  key: string
  /** Null if the vendor's usual address applies. */
  baseUrl: string | null
}

export type Env = Settings & {
  /** The vendors that have no settings of their own above. */
  VENDORS: readonly EnvVendor[]
}

/** The names of all environment variables that are read. */
export const VARIABLES: readonly string[] = [
  ...Object.keys(settings.shape),
  ...VENDOR_KINDS.flatMap(({ env }) => (env === undefined ? [] : [env, baseUrlVariable(env)])),
]

/** What a shell would have removed, and what Docker and other readers of files with settings leave in them. */
const QUOTED = /^(["']).*\1$/s

/** Adds a line to `errors` for each setting in quotation marks. Returns the names of these settings. */
function refuseQuoted(given: Record<string, string>, errors: string[]): Set<string> {
  const names = new Set(VARIABLES.filter((name) => QUOTED.test(given[name] ?? '')))
  for (const name of names) errors.push(`  ${name}: the value alone, without quotation marks around it`)
  return names
}

/** Reads the vendors whose variables are named in the table of kinds. Adds a line to `errors` for each invalid address. */
function readEnvVendors(given: Record<string, string>, errors: string[]): EnvVendor[] {
  return VENDOR_KINDS.flatMap(({ id, env }) => {
    const key = env === undefined || env in settings.shape ? undefined : given[env]
    if (env === undefined || key === undefined) return []
    const name = baseUrlVariable(env)
    const address = webUrlSchema.optional().safeParse(given[name])
    if (!address.success) errors.push(...address.error.issues.map(({ message }) => `  ${name}: ${message}`))
    return [{ kind: id, key, baseUrl: address.data ?? null }]
  })
}

/** A sentence for each setting of a vendor that has no effect, because the one that connects the vendor is not set. */
export function describeUnused(source: Record<string, string | undefined> = process.env): string[] {
  const pairs = VENDOR_KINDS.flatMap(({ env }) => (env === undefined ? [] : [[baseUrlVariable(env), env] as const]))
  pairs.push(['OPENAI_COMPATIBLE_API_KEY', 'OPENAI_COMPATIBLE_BASE_URL'])
  const isSet = (name: string): boolean => (source[name] ?? '').trim() !== ''
  return pairs
    .filter(([name, needed]) => isSet(name) && !isSet(needed))
    .map(([name, needed]) => `${name} has no effect, because ${needed} is not set.`)
}

/** The settings that operators can change while the gateway runs. */
type SettingsEnv = Pick<Env, Exclude<(typeof SETTINGS)[keyof typeof SETTINGS]['env'], null>>

/**
 * The public address of the gateway, without a trailing slash. It comes from the settings alone, never from a request's Host
 * header.
 */
export const publicUrl = (env: Pick<Env, 'PUBLIC_URL' | 'PORT'>): string => env.PUBLIC_URL ?? `http://localhost:${env.PORT}`

/** The values of the settings that operators can change, as they are until somebody changes them. */
export const defaultSettings = (env: SettingsEnv): SettingValues =>
  Object.fromEntries(
    settingNames.map((name) => {
      const { env: variable } = SETTINGS[name]
      return [name, variable === null ? BUILT_IN_DEFAULTS[name as keyof typeof BUILT_IN_DEFAULTS] : env[variable]]
    }),
  ) as SettingValues

/**
 * Reads the settings. Throws one error that names every invalid setting and says what it takes. Values are never part of the
 * message, because some of them are secrets.
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.entries(source).flatMap(([name, value = '']) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  )
  const parsed = schema.safeParse(given)
  const errors: string[] = []
  const quoted = refuseQuoted(given, errors)
  const vendors = readEnvVendors(given, errors)
  if (parsed.success && errors.length === 0) return { ...parsed.data, VENDORS: vendors }
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !quoted.has(path.join('.')))
  const lines = [...issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`), ...errors]
  throw new Error(`These environment settings are invalid:\n${lines.join('\n')}`)
}
