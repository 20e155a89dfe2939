import { z } from 'zod'
import { fieldIn } from '../../domain/field-in.ts'
import { DEFAULT_SEARCHES, searchContextSize, searchFilters, searchLocation, type WebSearchOptions } from '../chat/web-search.ts'
import { type JsonObject, objectIn, objectsIn } from '../json.ts'
import { tokenCount } from '../token-count.ts'

/** The tool with which a vendor searches the web. Source: the OpenAI API, version 2.3.0, WebSearchTool. */
export const webSearchTool = z.looseObject({
  type: z.enum(['web_search', 'web_search_2025_08_26']),
  filters: searchFilters,
  user_location: z.looseObject({ type: z.literal('approximate').nullish(), ...searchLocation }).nullish(),
  search_context_size: searchContextSize,
  external_web_access: z.boolean().nullish(),
})

/** The tool before it, which has another price. */
export const PREVIEW_SEARCH = /^web_search_preview(_\d{4}_\d{2}_\d{2})?$/
export const PREVIEW_SEARCH_ERROR = 'this search has another price at its vendor. Send the tool "web_search" instead'

const TYPES: ReadonlySet<string> = new Set(webSearchTool.shape.type.options)

export const isWebSearch = <T extends { type: string }>(tool: T): boolean => TYPES.has(tool.type)

interface Searching {
  tools?: readonly { type: string }[] | null | undefined
  tool_choice?: unknown
  max_tool_calls?: number | null | undefined
}

/** The index of the tool among those of a request; -1 if it has none. */
export const findWebSearch = ({ tools }: Searching): number => tools?.findIndex(isWebSearch) ?? -1

/** The most searches that a request may make. Its vendor is told this number. */
export const maxSearchesOf = (body: Searching): number =>
  findWebSearch(body) < 0 ? 0 : (body.max_tool_calls ?? DEFAULT_SEARCHES)

/**
 * Whether a request's allowed tools, if it names any, include searches. They are held for in any case: vendors of this wire get the tool,
 * and not all of them may know such a choice.
 */
export function allowsSearch({ tool_choice: choice }: Searching): boolean {
  if (fieldIn(choice, 'type') !== 'allowed_tools') return true
  return fieldIn(choice, 'mode') !== 'none' && objectsIn(fieldIn(choice, 'tools')).some(({ type }) => TYPES.has(String(type)))
}

/** The searches that the request's chat asks for; null if it asks for none. */
export function searchOptionsOf(body: Searching): WebSearchOptions | null {
  const tool = webSearchTool.safeParse(body.tools?.[findWebSearch(body)]).data
  if (!tool || body.tool_choice === 'none') return null
  const { user_location: location, search_context_size, filters, external_web_access } = tool
  return {
    ...(body.max_tool_calls == null ? {} : { max_uses: body.max_tool_calls }),
    ...(search_context_size == null ? {} : { search_context_size }),
    ...(filters == null ? {} : { filters }),
    ...(external_web_access == null ? {} : { external_web_access }),
    ...(location == null ? {} : { user_location: { type: 'approximate', approximate: location } }),
  }
}

/** How many searches a vendor says that it bills; null if it does not. xAI also bills pages that are opened ("Tool Usage Details"). */
export const statedSearches = (usage: unknown): number | null =>
  tokenCount(fieldIn(fieldIn(usage, 'server_side_tool_usage_details'), 'web_search_calls'))

/**
 * How many searches are in the items of an answer. Opening a page that was found, and searching in it, are calls of this tool too,
 * and not billed as searches (OpenAI, "Web search").
 */
export const countSearches = (items: Iterable<JsonObject>): number =>
  [...items].filter(
    ({ type, status, action }) =>
      type === 'web_search_call' && status !== 'failed' && (objectIn(action)?.type ?? 'search') === 'search',
  ).length
