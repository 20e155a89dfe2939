import { Refusal, refuseField } from '../../domain/errors.ts'
import type { ChainError, ResponseStore } from '../../domain/stored-response.ts'
import { listIn } from '../json.ts'
import { callIdOf } from './client-run-items.ts'
import { isResponseId, parseItemId } from './ids.ts'
import { type Item, isCall, isClientRunCall, isClientRunOutput, isOutput, itemSchema } from './items-schema.ts'
import type { ResponsesBody } from './schema.ts'

/** Everything that a model is shown: the items of the conversation so far, and those of the request. */
export interface Context {
  items: readonly Item[]
  /** The name of each item in a refusal: `input[2]`, or `previous_response_id` for an item of the conversation. */
  names: readonly string[]
  /** The request's own items as they are stored, with each reference replaced by its item. */
  own: readonly Item[]
  /** The size of the JSON that came out of the store. */
  storedBytes: number
}

/** References can name at most this many different responses, because each is a lookup in the store. */
const MAX_LOOKED_UP = 32

const CHAIN_ERRORS: Record<ChainError, string> = {
  unknown: 'There is no such response: it was never stored, or it was deleted or has expired.',
  broken: 'An earlier response of its conversation was deleted.',
  too_large: 'Its conversation is too long to be continued.',
}

/**
 * The stored conversation together with a request's own items. Throws the 400 that names what cannot be found or does not fit.
 */
export async function loadContext(body: ResponsesBody, accountId: string, shelf: ResponseStore): Promise<Context> {
  const earlier = await loadConversation(body.previous_response_id, accountId, shelf)
  const requestItems: Item[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])
  const { items: own, bytes } = await resolveReferences(requestItems, accountId, shelf)
  const items = [...earlier.items, ...own]
  const names = [...earlier.items.map(() => 'previous_response_id'), ...own.map((_, index) => `input[${index}]`)]
  checkCallOutputs(items, names)
  return { items, names, own, storedBytes: earlier.bytes + bytes }
}

async function loadConversation(id: string | null | undefined, accountId: string, shelf: ResponseStore) {
  if (id == null) return { items: [], bytes: 0 }
  const chain = isResponseId(id) ? await shelf.findChain(accountId, id) : 'unknown'
  if (typeof chain === 'string')
    throw new Refusal(
      'unknown_previous',
      `The previous response "${id}" cannot be continued. ${CHAIN_ERRORS[chain]} Send the whole conversation as "input" instead.`,
      { param: 'previous_response_id' },
    )
  const items = chain.responses.flatMap(({ input, response }) => [...input, ...listIn(response.output)].flatMap(parseStoredItem))
  return { items, bytes: chain.bytes }
}

/** A stored item, if it is valid: a vendor's answers are stored as they arrived. */
function parseStoredItem(item: unknown): Item[] {
  const read = itemSchema.safeParse(item)
  return read.success ? [read.data] : []
}

/** The items, with each reference among them replaced by its item. */
async function resolveReferences(requestItems: readonly Item[], accountId: string, shelf: ResponseStore) {
  const found = new Map<string, Awaited<ReturnType<ResponseStore['find']>>>()
  const items: Item[] = []
  let bytes = 0
  for (const [index, item] of requestItems.entries()) {
    if (item.type !== 'item_reference') {
      items.push(item)
      continue
    }
    const place = parseItemId(item.id)
    if (place && !found.has(place.responseId) && found.size < MAX_LOOKED_UP)
      found.set(place.responseId, await shelf.find(accountId, place.responseId))
    const stored = place && found.get(place.responseId)
    const list = place?.part === 'input' ? (stored?.input ?? []) : listIn(stored?.response.output)
    const [referenced] = place ? parseStoredItem(list[place.index]) : []
    if (!referenced)
      throw refuseField(
        `input[${index}].id`,
        `The item "${item.id}" is not stored: it never was, or its response was deleted or has expired. Send the item itself.`,
      )
    items.push(referenced)
    bytes += Buffer.byteLength(JSON.stringify(referenced))
  }
  return { items, bytes }
}

/**
 * Checks that every call has exactly one output, and every output its call, because vendors accept nothing else. Throws the 400
 * that names the invalid one.
 */
function checkCallOutputs(items: readonly Item[], names: readonly string[]): void {
  const open = new Map<string, string>()
  const called = new Set<string>()
  /**
   * The ids that several calls share. Some vendors give the same id to several calls of a turn, and no caller can change that in
   * stored calls.
   */
  const sharedIds = new Set<string>()
  /** The output of a local shell may name its call by the id of the item. */
  const callIds = new Map<string, string>()
  items.forEach((item, index) => {
    const name = names[index] ?? 'input'
    const refuse = (message: string) => {
      throw refuseField(name.startsWith('input') ? `${name}.call_id` : name, message)
    }
    if (isCall(item) || isClientRunCall(item)) {
      if (item.type === 'local_shell_call' && item.id != null) callIds.set(item.id, item.call_id)
      // The id of a call that has its output may appear again: some vendors number their calls anew in each turn.
      if (open.get(item.call_id)?.startsWith('input') && name.startsWith('input'))
        refuse(`The call "${item.call_id}" already exists. Give each call its own call_id.`)
      if (called.has(item.call_id)) sharedIds.add(item.call_id)
      open.set(item.call_id, name)
      called.add(item.call_id)
    } else if (isOutput(item) || isClientRunOutput(item)) {
      const named = isOutput(item) ? item.call_id : callIdOf(item)
      const callId = called.has(named) ? named : (callIds.get(named) ?? named)
      if (!called.has(callId)) refuse(`There is no call "${callId}" before this output. Send the call too.`)
      if (!open.delete(callId) && !sharedIds.has(callId))
        refuse(`The call "${callId}" already has an output. Send one for each call.`)
    }
  })
  for (const [callId, name] of open)
    throw refuseField(
      name.startsWith('input') ? name : 'input',
      `The call "${callId}" has no output. Send one with its call_id, such as a function_call_output.`,
    )
}
