import { z } from 'zod'
import { refuseField } from '../../domain/errors.ts'
import type { LanguageCapabilities, WebSearchAsk } from '../../domain/language.ts'
import type { Rates } from '../../domain/price.ts'
import type { Bound } from '../endpoint.ts'
import type { PromptNotes } from './prompt-helpers.ts'

export const searchContextSize = z.enum(['low', 'medium', 'high']).nullish()
export const searchFilters = z.looseObject({ allowed_domains: z.array(z.string().min(1).max(253)).max(100).nullish() }).nullish()

const place = z.string().min(1).max(255).nullish()
export const searchLocation = { country: place, region: place, city: place, timezone: place }

/**
 * Searches of the web that a chat asks for. Source: the OpenAI API, version 2.3.0. `filters` and `external_web_access` are those of its
 * tool; `max_uses` is Anthropic's.
 */
export const webSearchOptions = z.looseObject({
  search_context_size: searchContextSize,
  user_location: z.looseObject({ type: z.literal('approximate'), approximate: z.looseObject(searchLocation) }).nullish(),
  filters: searchFilters,
  external_web_access: z.boolean().nullish(),
  max_uses: z.number().int().min(1).max(1000).nullish(),
})

export type WebSearchOptions = z.infer<typeof webSearchOptions>

/** How many searches a request may make if it does not say. */
export const DEFAULT_SEARCHES = 10
/**
 * How many tokens of input are held for what one search finds, which the model reads again with each of its further steps. OpenAI bills
 * 8,000 once where it bills a fixed number.
 */
const TOKENS_PER_SEARCH = 32_768

interface Searching {
  web_search_options?: WebSearchOptions | null | undefined
}

/** The most searches that each choice of a chat may make. Its vendor is told this number, if it can be. */
export const maxSearchesOf = ({ web_search_options: options }: Searching): number =>
  options == null ? 0 : (options.max_uses ?? DEFAULT_SEARCHES)

/**
 * A bound with the price of the searches, and with the input that they find. A model that reads much again and again can use more; then
 * the rule for usage above the hold applies.
 */
export function withSearches(bound: Bound, body: Searching, rates: Rates): Bound {
  const asked = maxSearchesOf(body)
  if (asked === 0) return bound
  // Without a price of their own, a request and its price have one search for each choice.
  const isPriced = rates.web_search !== undefined
  const count = BigInt((isPriced ? asked : 1) * bound.choices)
  const { usage } = bound
  const input = usage.input + count * BigInt(TOKENS_PER_SEARCH)
  return { ...bound, usage: { ...usage, input, ...(isPriced ? { media: { ...usage.media, web_search: count } } : {}) } }
}

/** Throws the 400 for searches that have no price. `field` is what asks for them. */
export function refuseUnpricedSearch(field: string, rates: Rates, modelId: string): void {
  if (rates.web_search !== undefined) return
  throw refuseField(
    field,
    `Searches of the web are billed separately, and the model "${modelId}" has no price for them. Leave this out, or use a model that has one ("web_search").`,
  )
}

/**
 * Throws the 400 for searches at a vendor whose own chats are used, unless each request has a price. There, few models search, and they
 * do for each request: that is what it costs.
 */
export function refuseSearchInChats({ web_search_options: options }: Searching, { request }: Rates): void {
  if (options == null || request !== undefined) return
  throw refuseField(
    'web_search_options',
    'This model cannot search in chats. Leave the field out, or send the tool "web_search" to POST /v1/responses, where some models can.',
  )
}

/** The place where its user is. Nothing else that stands beside it is sent: its vendor's package refuses what it does not know. */
function locationOf({ user_location: location }: WebSearchOptions): NonNullable<WebSearchAsk['location']> {
  const { country, region, city, timezone } = location?.approximate ?? {}
  return Object.fromEntries(Object.entries({ country, region, city, timezone }).filter(([, value]) => value != null))
}

/** What a bridged vendor is asked to search. Throws the 400 that names what it cannot do. */
export function webSearchAskOf(body: Searching, skills: LanguageCapabilities, notes: PromptNotes): { webSearch?: WebSearchAsk } {
  const { web_search_options: options } = body
  if (options == null) return {}
  const { search } = skills
  if (!search)
    throw refuseField(
      'web_search_options',
      'The API of this model\'s vendor does not support searches of the web here. Leave out "web_search_options".',
    )
  // A client asks for this so that its model reads no page that somebody has just changed.
  if (options.external_web_access === false)
    throw refuseField(
      'web_search_options.external_web_access',
      "This model's vendor searches the web as it is now, and has no copies of its pages. Leave the field out to accept that, or do not search.",
    )
  const { allowed_domains: allowed, ...otherFilters } = options.filters ?? {}
  const other = Object.keys(otherFilters).find((name) => otherFilters[name] != null)
  if (other !== undefined)
    throw refuseField(
      `web_search_options.filters.${other.slice(0, 64)}`,
      'Searches can be limited by "allowed_domains" only. Leave it out.',
    )
  const domains = allowed ?? []
  if (domains.length > 0 && !search.filters)
    throw refuseField('web_search_options.filters', "This model's vendor searches the whole web. Leave the filters out.")
  const location = locationOf(options)
  const hasLocation = Object.keys(location).length > 0
  if (options.search_context_size != null) notes.ignored.add('web_search_options.search_context_size')
  if (options.max_uses != null && !search.limit) notes.ignored.add('web_search_options.max_uses')
  if (hasLocation && !search.location) notes.ignored.add('web_search_options.user_location')
  return {
    webSearch: {
      maxSearches: maxSearchesOf(body),
      ...(domains.length > 0 ? { allowedDomains: domains } : {}),
      ...(hasLocation && search.location ? { location } : {}),
    },
  }
}
