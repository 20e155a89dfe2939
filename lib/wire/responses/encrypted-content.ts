import { type JsonObject, objectIn, objectsIn, parseJsonObject } from '../json.ts'

/**
 * What a vendor of chats sent with an answer and wants to see again. It travels as a reasoning item's `encrypted_content`,
 * through the client or the store, and returns to its place in the assistant's message.
 */
export interface VendorState {
  /** The field that had the reasoning as text. */
  field?: 'reasoning_content' | 'reasoning'
  /** `reasoning_details`, as they arrived. */
  details?: JsonObject[]
  /** `extra_content` of calls, by their ids. */
  calls?: Record<string, JsonObject>
}

const CHAT = 'chat.'
const NATIVE = 'openai.'

/** Writes it as the `encrypted_content` of an item. It is not secret from its reader, because it is what the vendor sent. */
export const packVendorState = (kept: VendorState): string => CHAT + Buffer.from(JSON.stringify(kept)).toString('base64url')

/**
 * The usable parts of what a client sent. Nothing signs it, and a field with another name would become another field of the
 * message.
 */
function sanitizeVendorState({ field, details, calls }: JsonObject): VendorState {
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
export function unpackVendorState(content: string | null | undefined): VendorState | null {
  if (!content?.startsWith(CHAT)) return null
  try {
    // Parsed like a body, so it may be nested no deeper than one.
    return sanitizeVendorState(parseJsonObject(Buffer.from(content.slice(CHAT.length), 'base64url')))
  } catch {
    return null
  }
}

/** Writes OpenAI's own encrypted reasoning, with the id that it is bound to. */
export const packNative = (id: string, content: string): string => `${NATIVE}${id}.${content}`

/**
 * A reasoning item's encrypted reasoning as OpenAI sent it. An item that a client brings from elsewhere is also taken for
 * OpenAI's. Null if there is none, or it is another vendor's.
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
