import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

const CHOICES = ['anyOf', 'oneOf'] as const

/**
 * Tools whose parameters are one object each: Claude refuses a request in which those of any tool are a choice of several at
 * their root (`input_schema does not support oneOf, allOf, or anyOf at the top level`), as MCP servers describe them. What
 * any of them has may be there, what all of them require has to be. The very same tools where there is no such choice.
 */
export function withoutRootChoices(tools: Tools): { tools: Tools; ignored: string[] } {
  const isOne = (tool: Tools[number]): boolean => tool.type !== 'function' || flattened(tool.inputSchema) === tool.inputSchema
  if (tools.every(isOne)) return { tools, ignored: [] }
  return {
    tools: tools.map((tool) => (tool.type === 'function' ? { ...tool, inputSchema: flattened(tool.inputSchema) } : tool)),
    ignored: ['tools.parameters'],
  }
}

function flattened(schema: JSONSchema7): JSONSchema7 {
  const { anyOf, oneOf, allOf, ...root } = schema
  if (!anyOf && !oneOf && !allOf) return schema
  const choices = CHOICES.map((name) => branchesOf(schema[name]))
  const all = branchesOf(allOf)
  return {
    ...root,
    type: 'object',
    properties: { ...propertiesOf([...all, ...choices.flat()]), ...root.properties },
    required: [...new Set([...requiredIn(root), ...all.flatMap(requiredIn), ...choices.flatMap(requiredInEach)])],
  }
}

const branchesOf = (branches: JSONSchema7['anyOf']): JSONSchema7[] =>
  (Array.isArray(branches) ? branches : []).flatMap((branch) =>
    typeof branch === 'object' && branch !== null ? [flattened(branch)] : [],
  )

const requiredIn = ({ required }: JSONSchema7): string[] => (Array.isArray(required) ? required : [])

const requiredInEach = ([first, ...others]: JSONSchema7[]): string[] =>
  first ? requiredIn(first).filter((name) => others.every((other) => requiredIn(other).includes(name))) : []

/** The properties of all, each as any of them has it. */
function propertiesOf(schemas: readonly JSONSchema7[]): NonNullable<JSONSchema7['properties']> {
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
