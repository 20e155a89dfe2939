import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

/**
 * What Claude compiles for all strict tools of a request and the schema of its answer together (Anthropic, "Structured outputs",
 * schema complexity limits).
 */
const MOST = { tools: 20, optional: 24, unions: 16 }

/** What Claude refuses in the parameters of a strict tool, or accepts only with some values (the same page, JSON Schema limitations). */
const UNSUPPORTED = new Set(
  (
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems ' +
    'minProperties maxProperties patternProperties propertyNames prefixItems contains oneOf not if then else ' +
    'dependencies dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems'
  ).split(' '),
)
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

interface Strictness {
  tools: Tools
  ignored: string[]
}

/**
 * The tools, of which those are strict that Claude can be strict about. It refuses the whole request for a tool whose parameters
 * have, for example, a `minimum`, which OpenAI accepts and some clients send as strict without being asked. Without strictness
 * such a tool works: Claude is still told its parameters. Returns the same tools if nothing changes.
 */
export function withSupportedStrictness(tools: Tools, answer?: LanguageModelV4CallOptions['responseFormat']): Strictness {
  const counts = { tools: 0, optional: 0, unions: 0 }
  if (answer?.type === 'json' && answer.schema) isSupported(answer.schema, counts)
  const supported = new Set<Tools[number]>()
  let asked = 0
  for (const tool of tools) {
    if (tool.type !== 'function' || tool.strict !== true) continue
    asked += 1
    const own = { optional: 0, unions: 0 }
    if (!isSupported(tool.inputSchema, own)) continue
    supported.add(tool)
    counts.tools += 1
    counts.optional += own.optional
    counts.unions += own.unions
  }
  const fits = counts.tools <= MOST.tools && counts.optional <= MOST.optional && counts.unions <= MOST.unions
  if (fits && supported.size === asked) return { tools, ignored: [] }
  const relaxed = tools.map((tool) => {
    if (tool.type !== 'function' || (fits && supported.has(tool))) return tool
    const { strict: _, ...rest } = tool
    return rest
  })
  return { tools: relaxed, ignored: ['tools.strict'] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether Claude can compile a schema. Adds what it counts. */
function isSupported(root: JSONSchema7, counts: Omit<typeof MOST, 'tools'>): boolean {
  const open = new Set<string>()
  const closed = new Set<string>()

  function isFollowed(ref: unknown): boolean {
    const [, list, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(ref)) ?? []
    const definitions: unknown = root[list as '$defs']
    if (name === undefined || open.has(String(ref)) || !isObject(definitions)) return false
    if (closed.has(String(ref))) return true
    open.add(String(ref))
    const followed = walk(definitions[name])
    open.delete(String(ref))
    closed.add(String(ref))
    return followed
  }

  // Goes through all of a schema, whatever is in it: that of an answer is sent without what Claude cannot compile.
  function walk(schema: unknown): boolean {
    if (!isObject(schema)) return schema === true
    const isUnknown =
      Object.keys(schema).some((key) => UNSUPPORTED.has(key)) ||
      (schema.format !== undefined && !FORMATS.has(String(schema.format)))
    if (schema.$ref !== undefined) return isFollowed(schema.$ref) && !isUnknown
    if (schema.anyOf !== undefined || Array.isArray(schema.type)) counts.unions += 1
    const { required, anyOf = [], allOf = [], items = [] } = schema
    const properties = isObject(schema.properties) ? schema.properties : {}
    const isOpen = (schema.type === 'object' || schema.properties !== undefined) && schema.additionalProperties !== false
    const needed = new Set(Array.isArray(required) ? required : [])
    counts.optional += Object.keys(properties).filter((name) => !needed.has(name)).length
    const within = [...Object.values(properties), ...[anyOf, allOf, items].flat()].map(walk)
    return !isUnknown && !isOpen && within.every(Boolean)
  }

  return walk(root)
}
