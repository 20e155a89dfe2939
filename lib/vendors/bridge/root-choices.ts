import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

/**
 * Makes the parameters of each tool one object. Claude refuses a request if the parameters of any tool have a choice at their
 * root (`input_schema does not support oneOf, allOf, or anyOf at the top level`), as MCP servers describe them. Properties of
 * any branch are allowed, and what all of them require is required. Returns the same tools if there is no such choice.
 */
export function withoutRootChoices(tools: Tools): { tools: Tools; ignored: string[] } {
  if (!tools.some((tool) => tool.type === 'function' && isChoice(tool.inputSchema))) return { tools, ignored: [] }
  return {
    tools: tools.map((tool) => (tool.type === 'function' ? { ...tool, inputSchema: flattenSchema(tool.inputSchema) } : tool)),
    ignored: ['tools.parameters'],
  }
}

const isChoice = ({ anyOf, oneOf, allOf }: JSONSchema7): boolean => Boolean(anyOf || oneOf || allOf)

function flattenSchema(schema: JSONSchema7): JSONSchema7 {
  if (!isChoice(schema)) return schema
  const { anyOf: _any, oneOf: _one, allOf: _all, ...root } = schema
  return {
    ...root,
    type: 'object',
    properties: { ...propertiesOf(allBranchesOf(schema)), ...root.properties },
    required: [...requiredIn(schema)],
  }
}

const branchesOf = (branches: JSONSchema7['anyOf']): JSONSchema7[] =>
  (Array.isArray(branches) ? branches : []).filter((branch) => typeof branch === 'object' && branch !== null)

/** All branches, including those of branches. */
function* allBranchesOf({ allOf, anyOf, oneOf }: JSONSchema7): Generator<JSONSchema7> {
  for (const branch of [allOf, anyOf, oneOf].flatMap(branchesOf)) {
    yield* allBranchesOf(branch)
    yield branch
  }
}

/** A request can contain millions of names, so none is searched for in a list, or copied for each level of nesting. */
function requiredIn({ required, allOf, anyOf, oneOf }: JSONSchema7): Set<string> {
  const choices = [anyOf, oneOf].map((branches) => intersectionOf(branchesOf(branches).map(requiredIn)))
  const own = new Set(Array.isArray(required) ? required : [])
  return [...branchesOf(allOf).map(requiredIn), ...choices].reduce(unionOf, own)
}

const intersectionOf = ([first = new Set<string>(), ...others]: Set<string>[]): Set<string> =>
  others.length === 0 ? first : new Set([...first].filter((name) => others.every((other) => other.has(name))))

function unionOf(one: Set<string>, other: Set<string>): Set<string> {
  const [large, small] = one.size < other.size ? [other, one] : [one, other]
  for (const name of small) large.add(name)
  return large
}

/** The properties of all schemas. A property that has several forms accepts any of them. */
function propertiesOf(schemas: Iterable<JSONSchema7>): NonNullable<JSONSchema7['properties']> {
  const forms = new Map<string, Map<string, JSONSchema7 | boolean>>()
  for (const { properties } of schemas)
    for (const [name, form] of Object.entries(properties ?? {})) {
      const known = forms.get(name) ?? new Map()
      forms.set(name, known.set(JSON.stringify(form), form))
    }
  return Object.fromEntries(
    [...forms].map(([name, known]) => {
      const [first, ...others] = known.values()
      return [name, first !== undefined && others.length === 0 ? first : { anyOf: [...known.values()] }]
    }),
  )
}
