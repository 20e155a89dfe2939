import { type JsonObject, objectIn, objectsIn, parseJsonObject } from '../json.ts'

/**
 * What a vendor of chats gave along with an answer and wants to see again: it travels as a reasoning item's
 * `encrypted_content`, through the client or the store, and stands in the assistant's message again where it stood.
 */
export interface Kept {
  /** The field in which the thoughts came as text. */
  field?: 'reasoning_content' | 'reasoning'
  /** `reasoning_details`, as they came. */
  details?: JsonObject[]
  /** `extra_content` of calls, by their ids. */
  calls?: Record<string, JsonObject>
}

const CHAT = 'chat.'
const NATIVE = 'openai.'

/** As `encrypted_content` of an item of ours. It is no secret from its reader: it is what the vendor sent. */
export const packKept = (kept: Kept): string => CHAT + Buffer.from(JSON.stringify(kept)).toString('base64url')

/** What of a client's own making can be used: nothing signs it, and a field of another name would be another field. */
function usable({ field, details, calls }: JsonObject): Kept {
  const extras = Object.entries(objectIn(calls) ?? {}).filter(
    (entry): entry is [string, JsonObject] => objectIn(entry[1]) !== null,
  )
  return {
    ...(field === 'reasoning_content' || field === 'reasoning' ? { field } : {}),
    details: objectsIn(details),
    calls: Object.fromEntries(extras),
  }
}

/** Null for what another vendor encrypted, and for what is damaged. */
export function unpackKept(content: string | null | undefined): Kept | null {
  if (!content?.startsWith(CHAT)) return null
  try {
    // Read as a body is: no deeper than one may be.
    return usable(parseJsonObject(Buffer.from(content.slice(CHAT.length), 'base64url')))
  } catch {
    return null
  }
}

/** OpenAI's own encrypted thoughts, with the id to which they are bound. */
export const packNative = (id: string, content: string): string => `${NATIVE}${id}.${content}`

/**
 * A reasoning item's encrypted thoughts as OpenAI gave them. Those of an item that a client brings from elsewhere are
 * taken for OpenAI's too. Null where there are none, or they are another vendor's.
 */
export function unpackNative(item: {
  id?: string | null | undefined
  encrypted_content?: string | null | undefined
}): { id: string | null; content: string } | null {
  const content = item.encrypted_content
  if (content == null || content.startsWith(CHAT)) return null
  if (!content.startsWith(NATIVE)) return { id: item.id ?? null, content }
  const end = content.indexOf('.', NATIVE.length)
  return end < 0 ? null : { id: content.slice(NATIVE.length, end), content: content.slice(end + 1) }
}
