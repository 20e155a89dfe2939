import { z } from 'zod'
import { refuseField } from '../../domain/errors.ts'
import type { JsonObject } from '../json.ts'
import { isWebSearch, webSearchTool } from './web-search.ts'

/** Where tools are searched for. */
export const searchedByClient = z.literal('client', {
  error: 'tools are searched for by your own program ("client"), not by the vendor',
})

/**
 * Tools that vendors of this wire define and clients run. Chats have none of them. Sources: the OpenAI API, version 2.3.0,
 * LocalShellToolParam, FunctionShellToolParam and ApplyPatchToolParam; its Node library, version 7.59, ToolSearchTool.
 */
export const clientRunTools = [
  z.looseObject({ type: z.literal('local_shell') }),
  z.looseObject({
    type: z.literal('shell'),
    environment: z
      .looseObject({
        type: z.literal('local', {
          error: 'commands run on your own machine ("local"); a container of the vendor is billed separately',
        }),
      })
      .nullish(),
  }),
  z.looseObject({ type: z.literal('apply_patch') }),
  z.looseObject({
    type: z.literal('tool_search'),
    execution: searchedByClient,
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
] as const

/** The choice of one of them. */
export const vendorDefinedChoices = [
  z.looseObject({ type: z.literal('local_shell') }),
  z.looseObject({ type: z.literal('shell') }),
  z.looseObject({ type: z.literal('apply_patch') }),
  z.looseObject({ type: webSearchTool.shape.type }),
] as const

const TYPES: ReadonlySet<string> = new Set(clientRunTools.map(({ shape }) => shape.type.value))

/** A tool that a vendor of this wire defines, or the choice of one. */
export type VendorDefined = z.infer<(typeof clientRunTools)[number] | typeof webSearchTool>

export const isVendorDefined = <T extends { type: string }>(tool: T): tool is Extract<T, { type: VendorDefined['type'] }> =>
  TYPES.has(tool.type) || isWebSearch(tool)

/** The vendor describes such a tool to the model in words of its own, which are input. It does not say how many; this is ample. */
const DESCRIPTION_BYTES = 4096

/** How much longer a request is for what the vendor says of such tools. */
export const descriptionBytes = (tools: readonly { type: string }[]): number =>
  tools.filter(isVendorDefined).length * DESCRIPTION_BYTES

/**
 * A tool as it is sent. Where the commands of a shell run if its request does not say is not documented, and a vendor's container
 * would be billed separately.
 */
export const withEnvironment = (tool: JsonObject): JsonObject =>
  tool.type === 'shell' ? { ...tool, environment: tool.environment ?? { type: 'local' } } : tool

export const UNAVAILABLE_TOOL =
  'This model is called through chat completions, which do not have this tool. Describe it as a tool of the type "function", or use a model whose vendor offers responses.'

interface Choice {
  type: string
  tools?: readonly { type: string }[]
}

/**
 * Throws the 400 that names such a tool, or the choice of one, in a request for a model that is called through chats. If that model can
 * search the web, it may be asked to, but not made to.
 */
export function refuseVendorDefinedTools(
  body: {
    tools?: readonly { type: string }[] | null | undefined
    tool_choice?: string | Choice | null | undefined
  },
  { canSearch }: { canSearch: boolean },
): void {
  const isUnavailable = (tool: { type: string }): boolean => isVendorDefined(tool) && !(canSearch && isWebSearch(tool))
  const refuse = (param: string, message = UNAVAILABLE_TOOL) => {
    throw refuseField(param, message)
  }
  const tool = body.tools?.findIndex(isUnavailable) ?? -1
  if (tool >= 0) refuse(`tools[${tool}].type`)
  const choice = typeof body.tool_choice === 'object' ? body.tool_choice : null
  if (!choice) return
  if (isUnavailable(choice)) refuse('tool_choice.type')
  if (isWebSearch(choice)) refuse('tool_choice.type', 'This model decides by itself whether to search. Leave the choice out.')
  const chosen = choice.tools?.findIndex(isUnavailable) ?? -1
  if (chosen >= 0) refuse(`tool_choice.tools[${chosen}].type`)
}
