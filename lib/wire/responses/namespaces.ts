import type { Context } from './context.ts'
import type { ResponsesBody } from './schema.ts'
import type { CallableTool, ResponsesTool } from './tools-schema.ts'
import { isVendorDefined } from './vendor-defined-tools.ts'

/** The tool that a call names, and the namespace of the tool. */
export interface QualifiedName {
  namespace?: string | null | undefined
  name: string
}

/** A single tool and its place in the request. */
export interface PlacedTool {
  tool: CallableTool
  /** Null if it is in no namespace. */
  namespace: string | null
  /** `tools[2]`, or `tools[2].tools[0]` in a namespace. */
  path: string
}

/** Chats have no namespaces, so the name of a tool begins with that of its namespace there. */
export const chatToolName = ({ namespace, name }: QualifiedName): string => (namespace == null ? name : `${namespace}__${name}`)

/** The tools that chats have too, one by one. `path` is where their list is. */
const flattenTools = (tools: readonly ResponsesTool[], path: string): PlacedTool[] =>
  tools.flatMap((tool, index): PlacedTool[] =>
    tool.type === 'namespace'
      ? tool.tools.map((inner, at) => ({ tool: inner, namespace: tool.name, path: `${path}[${index}].tools[${at}]` }))
      : isVendorDefined(tool)
        ? []
        : [{ tool, namespace: null, path: `${path}[${index}]` }],
  )

/**
 * The tools of a request and of its items that chats have too. Each request of a conversation may bring the same ones again, so
 * the last of those with the same name counts. What a search found is in its output.
 */
export function placeTools(
  { tools }: Pick<ResponsesBody, 'tools'>,
  { items, names }: Pick<Context, 'items' | 'names'>,
): PlacedTool[] {
  const own = flattenTools(tools ?? [], 'tools')
  const inItems = items.flatMap((item, at) =>
    item.type === 'additional_tools' ? flattenTools(item.tools, `${names[at]}.tools`) : [],
  )
  const key = ({ namespace, tool }: PlacedTool): string => JSON.stringify([namespace, tool.name])
  const added = new Map(inItems.map((placed) => [key(placed), placed]))
  for (const placed of own) added.delete(key(placed))
  return [...own, ...added.values()]
}

/**
 * The names in a chat of tools that are chosen by their own names. A choice names no namespace, and means a tool outside of
 * namespaces first.
 */
export function chatNamesOfChoices(tools: readonly PlacedTool[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { tool, namespace } of tools)
    if (namespace === null || !names.has(tool.name)) names.set(tool.name, chatToolName({ namespace, name: tool.name }))
  return names
}

/** The tools that a chat's calls mean if their names begin with a namespace. */
export const qualifiedNameByChatName = (tools: readonly PlacedTool[]): ReadonlyMap<string, QualifiedName> =>
  new Map(
    tools.flatMap(({ tool: { name }, namespace }) =>
      namespace === null ? [] : [[chatToolName({ namespace, name }), { namespace, name }]],
    ),
  )

/**
 * The first tool that a chat could not tell apart from one before it, although they are in different namespaces here: its calls
 * would come back as those of the other one. The same tool sent twice is left to the vendor.
 */
export function findNameCollision(tools: readonly PlacedTool[]): PlacedTool | undefined {
  const namespaceByName = new Map<string, string | null>()
  return tools.find(({ tool: { name }, namespace }) => {
    const chatName = chatToolName({ namespace, name })
    if (!namespaceByName.has(chatName)) namespaceByName.set(chatName, namespace)
    return namespaceByName.get(chatName) !== namespace
  })
}

/** How much longer the names of tools are in a chat, where each includes its namespace. */
export const namespaceBytes = (tools: readonly PlacedTool[]): number =>
  tools.reduce((sum, { tool, namespace }) => sum + chatToolName({ namespace, name: tool.name }).length - tool.name.length, 0)
