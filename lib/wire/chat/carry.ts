import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { Refusal } from '../../domain/errors.ts'
import type { LanguageSkills } from '../../domain/language.ts'

/** A 400 for what this model's vendor cannot be given. */
export const cannot = (message: string, param: string): Refusal => new Refusal('invalid_request', message, { param })

/** What a translation notes on its way. */
export interface PromptNotes {
  ignored: Set<string>
  /** The detail that every image asks for; null where they differ. */
  detail: 'low' | 'high' | null | undefined
}

/** Anthropic takes letters, digits, _ and - in the ids of calls; other vendors make ids with dots and colons. */
export const callId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, '_')

/** Some vendors refuse a text in which nothing stands, though clients send such, and models write them before a call. */
export const isBlank = (text: string): boolean => !/\S/.test(text)

/** A part that can carry a mark for a vendor's cache, as Anthropic has it. */
export interface Marked {
  cache_control?: unknown
}

/** A mark for the vendor's cache, where it has one. Marks that live longer are billed apart and have no price. */
export function marked(
  part: Marked | undefined,
  skills: LanguageSkills,
  notes: PromptNotes,
): { providerOptions?: SharedV4ProviderOptions } {
  if (part?.cache_control == null) return {}
  checkCache(part.cache_control, 'cache_control')
  if (skills.caches) return { providerOptions: { [skills.vendor]: { cacheControl: { type: 'ephemeral' } } } }
  notes.ignored.add('cache_control')
  return {}
}

/** The mark of texts that become one: it can only stand at their end. Where it stood before that, it is named. */
export function markedAtEnd(
  content: string | readonly object[],
  skills: LanguageSkills,
  notes: PromptNotes,
): ReturnType<typeof marked> {
  if (typeof content === 'string') return {}
  const marks: readonly Marked[] = content
  if (marks.slice(0, -1).some((part) => part.cache_control != null)) notes.ignored.add('cache_control')
  return marked(marks.at(-1), skills, notes)
}

/** Throws a 400 for a mark that is none, or that costs more than the catalog's price of cache writes. */
export function checkCache(mark: unknown, param: string): void {
  const { type, ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { type?: unknown; ttl?: unknown }
  if (type !== 'ephemeral') throw cannot('A cache_control must be {"type": "ephemeral"} here.', param)
  if (ttl != null && ttl !== '5m')
    throw cannot('Only a cache_control of five minutes has a price here. Leave its "ttl" out.', param)
}
