import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { refuseField } from '../../domain/errors.ts'
import type { LanguageCapabilities } from '../../domain/language.ts'

/** What is noted while a request is translated. */
export interface PromptNotes {
  ignored: Set<string>
  /** The detail that every image asks for; null if they differ. */
  detail: 'low' | 'high' | null | undefined
}

/** Anthropic accepts letters, digits, _ and - in the ids of calls. Other vendors make ids with dots and colons. */
export const sanitizeCallId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, '_')

/** Some vendors refuse a blank text, although clients send such texts, and models write them before a call. */
export const isBlank = (text: string): boolean => !/\S/.test(text)

/** A part that can carry a mark for a vendor's cache, in Anthropic's form. */
export interface CacheMarked {
  cache_control?: unknown
}

/**
 * The mark for the vendor's cache, if the vendor has one. Marks with a longer lifetime are billed separately and have no price.
 */
export function cacheMarkOf(
  part: CacheMarked | undefined,
  skills: LanguageCapabilities,
  notes: PromptNotes,
): { providerOptions?: SharedV4ProviderOptions } {
  if (part?.cache_control == null) return {}
  checkCacheControl(part.cache_control, 'cache_control')
  if (skills.caches) return { providerOptions: { [skills.vendor]: { cacheControl: { type: 'ephemeral' } } } }
  notes.ignored.add('cache_control')
  return {}
}

/** The mark of several texts that become one, which can only be at their end. A mark before that is noted as ignored. */
export function cacheMarkAtEnd(
  content: string | readonly object[],
  skills: LanguageCapabilities,
  notes: PromptNotes,
): ReturnType<typeof cacheMarkOf> {
  if (typeof content === 'string') return {}
  const marks: readonly CacheMarked[] = content
  if (marks.slice(0, -1).some((part) => part.cache_control != null)) notes.ignored.add('cache_control')
  return cacheMarkOf(marks.at(-1), skills, notes)
}

/**
 * Puts the mark of a message on its last part, where Anthropic's own clients put it. Many clients of this wire mark messages, because
 * a text has no parts. Thoughts cannot have a mark.
 */
export function markEnd(
  parts: readonly { type?: string; providerOptions?: SharedV4ProviderOptions }[],
  mark: unknown,
  skills: LanguageCapabilities,
  notes: PromptNotes,
): void {
  const { providerOptions } = cacheMarkOf({ cache_control: mark }, skills, notes)
  const last = parts.findLast((part) => part.type !== 'reasoning')
  if (providerOptions && last) last.providerOptions = { ...last.providerOptions, ...providerOptions }
}

/** Throws a 400 for an invalid mark, and for one that costs more than the catalog's price of cache writes. */
export function checkCacheControl(mark: unknown, param: string): void {
  const { type, ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { type?: unknown; ttl?: unknown }
  if (type !== 'ephemeral') throw refuseField(param, 'A cache_control must be {"type": "ephemeral"} here.')
  if (ttl != null && ttl !== '5m')
    throw refuseField(param, 'Only a cache_control of five minutes has a price here. Leave its "ttl" out.')
}
