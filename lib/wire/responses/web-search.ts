import { z } from 'zod'
import { refuseField } from '../../domain/errors.ts'
import { fieldIn } from '../../domain/field-in.ts'
import type { Rates } from '../../domain/price.ts'
import type { Bound } from '../endpoint.ts'
import { type JsonObject, objectIn } from '../json.ts'
import { tokenCount } from '../token-count.ts'

/** The tool with which a vendor searches the web. Source: the OpenAI API, version 2.3.0, WebSearchTool. */
export const webSearchTool = z.looseObject({
  type: z.enum(['web_search', 'web_search_2025_08_26']),
  filters: z.looseObject({ allowed_domains: z.array(z.string().min(1).max(253)).max(100).nullish() }).nullish(),
  user_location: z.looseObject({ type: z.literal('approximate').nullish() }).nullish(),
  search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
  external_web_access: z.boolean().nullish(),
})

/** The tool before it, which has another price. */
export const PREVIEW_SEARCH = /^web_search_preview(_\d{4}_\d{2}_\d{2})?$/
export const PREVIEW_SEARCH_ERROR = 'this search has another price at its vendor. Send the tool "web_search" instead'

const TYPES: ReadonlySet<string> = new Set(webSearchTool.shape.type.options)

export const isWebSearch = <T extends { type: string }>(tool: T): boolean => TYPES.has(tool.type)

/** How many searches a request may make if it does not say. */
const DEFAULT_SEARCHES = 10
/**
 * How many tokens of input are held for what one search finds, which the model reads again with each of its further steps. OpenAI bills
 * 8,000 once where it bills a fixed number.
 */
const TOKENS_PER_SEARCH = 32_768

interface Searching {
  tools?: readonly { type: string }[] | null | undefined
  max_tool_calls?: number | null | undefined
}

/** The most searches that a request may make. Its vendor is told this number. */
export const maxSearchesOf = ({ tools, max_tool_calls: max }: Searching): number =>
  tools?.some(isWebSearch) ? (max ?? DEFAULT_SEARCHES) : 0

/** Throws the 400 that names the tool if the model has no price for searches. */
export function refuseUnpricedSearch({ tools }: Searching, rates: Rates, modelId: string): void {
  const index = rates.web_search === undefined ? (tools?.findIndex(isWebSearch) ?? -1) : -1
  if (index < 0) return
  throw refuseField(
    `tools[${index}].type`,
    `Searches of the web are billed separately, and the model "${modelId}" has no price for them. Leave this tool out, or use a model that has one ("web_search").`,
  )
}

/**
 * A bound with the price of the searches, and with the input that they find. A model that reads much again and again can use more; then
 * the rule for usage above the hold applies.
 */
export function withSearches(bound: Bound, body: Searching): Bound {
  const searches = maxSearchesOf(body)
  if (searches === 0) return bound
  const { usage } = bound
  const count = BigInt(searches)
  const input = usage.input + count * BigInt(TOKENS_PER_SEARCH)
  return { ...bound, usage: { ...usage, input, media: { ...usage.media, web_search: count } } }
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
