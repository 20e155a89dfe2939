import type { CallableTool, ResponsesTool } from './schema.ts'

/** What a call calls: a tool, and the namespace that it stands in. */
export interface Called {
  namespace?: string | null | undefined
  name: string
}

/** A tool by itself, and where the request has it. */
export interface PlacedTool {
  tool: CallableTool
  /** Null where it stands in none. */
  namespace: string | null
  /** `tools[2]`, or `tools[2].tools[0]` in a namespace. */
  place: string
}

/** Chats know no namespaces: there the name of a tool begins with that of its namespace. */
export const nameInChat = ({ namespace, name }: Called): string => (namespace == null ? name : `${namespace}__${name}`)

/** The tools of a request one by one. */
export const eachTool = (tools: readonly ResponsesTool[]): PlacedTool[] =>
  tools.flatMap((tool, index): PlacedTool[] =>
    tool.type === 'namespace'
      ? tool.tools.map((inner, at) => ({ tool: inner, namespace: tool.name, place: `tools[${index}].tools[${at}]` }))
      : [{ tool, namespace: null, place: `tools[${index}]` }],
  )

/** What a chat calls tools that are chosen by their own names: who chooses says no namespace, and means one outside of them first. */
export function chosenInChat(tools: readonly PlacedTool[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { tool, namespace } of tools)
    if (namespace === null || !names.has(tool.name)) names.set(tool.name, nameInChat({ namespace, name: tool.name }))
  return names
}

/** What the calls of a chat mean whose names begin with a namespace. */
export const calledInChat = (tools: readonly PlacedTool[]): ReadonlyMap<string, Called> =>
  new Map(
    tools.flatMap(({ tool: { name }, namespace }) =>
      namespace === null ? [] : [[nameInChat({ namespace, name }), { namespace, name }]],
    ),
  )

/**
 * The first tool that a chat could not tell from one before it, though here they stand in different namespaces: its
 * calls would come back as those of the other. One that is told twice is the vendor's to judge.
 */
export function mistakenInChat(tools: readonly PlacedTool[]): PlacedTool | undefined {
  const places = new Map<string, string | null>()
  return tools.find(({ tool: { name }, namespace }) => {
    const inChat = nameInChat({ namespace, name })
    if (!places.has(inChat)) places.set(inChat, namespace)
    return places.get(inChat) !== namespace
  })
}

/** How much longer the names of tools are in a chat, where each says its namespace. */
export const namespaceBytes = (tools: readonly PlacedTool[]): number =>
  tools.reduce((sum, { tool, namespace }) => sum + nameInChat({ namespace, name: tool.name }).length - tool.name.length, 0)
