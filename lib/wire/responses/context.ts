import { Refusal } from '../../domain/errors.ts'
import type { LostChain, ResponseShelf } from '../../domain/stored-response.ts'
import { isResponseId, placeOf } from './ids.ts'
import { type Item, isCall, isOutput, itemSchema } from './items-schema.ts'
import type { ResponsesBody } from './schema.ts'

/** All that a model is shown: the items of the conversation so far, and those of the request. */
export interface Context {
  items: readonly Item[]
  /** For each item, what a refusal calls it: `input[2]`, or `previous_response_id` for one of the conversation. */
  names: readonly string[]
  /** The request's own items, as they are stored: references are what they stand for. */
  own: readonly Item[]
  /** How much JSON came out of the store. */
  storedBytes: number
}

/** References name at most so many different responses: each is a look into the store. */
const MOST_LOOKED_UP = 32

const LOST: Record<LostChain, string> = {
  unknown: 'There is no such response: it was never stored, or it was deleted or has expired.',
  broken: 'An earlier response of its conversation was deleted.',
  too_large: 'Its conversation is too long to be continued.',
}

/** What a stored conversation and a request's own items come to. Throws the 400 that names what cannot be found or does not fit. */
export async function contextOf(body: ResponsesBody, accountId: string, shelf: ResponseShelf): Promise<Context> {
  const before = await conversation(body.previous_response_id, accountId, shelf)
  const given: Item[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])
  const { items: own, bytes } = await resolved(given, accountId, shelf)
  const items = [...before.items, ...own]
  const names = [...before.items.map(() => 'previous_response_id'), ...own.map((_, index) => `input[${index}]`)]
  checkCalls(items, names)
  return { items, names, own, storedBytes: before.bytes + bytes }
}

async function conversation(id: string | null | undefined, accountId: string, shelf: ResponseShelf) {
  if (id == null) return { items: [], bytes: 0 }
  const chain = isResponseId(id) ? await shelf.chain(accountId, id) : 'unknown'
  if (typeof chain === 'string')
    throw new Refusal(
      'unknown_previous',
      `The previous response "${id}" cannot be continued. ${LOST[chain]} Send the whole conversation as "input" instead.`,
      { param: 'previous_response_id' },
    )
  const items = chain.responses.flatMap(({ input, response }) => [...input, ...outputOf(response)].flatMap(readable))
  return { items, bytes: chain.bytes }
}

const outputOf = ({ output }: Record<string, unknown>): readonly unknown[] => (Array.isArray(output) ? output : [])

/** A stored item, where it is one: what a vendor answered was stored as it came. */
function readable(item: unknown): Item[] {
  const read = itemSchema.safeParse(item)
  return read.success ? [read.data] : []
}

/** Items with what references among them stand for. */
async function resolved(given: readonly Item[], accountId: string, shelf: ResponseShelf) {
  const found = new Map<string, Awaited<ReturnType<ResponseShelf['find']>>>()
  const items: Item[] = []
  let bytes = 0
  for (const [index, item] of given.entries()) {
    if (item.type !== 'item_reference') {
      items.push(item)
      continue
    }
    const place = placeOf(item.id)
    if (place && !found.has(place.responseId) && found.size < MOST_LOOKED_UP)
      found.set(place.responseId, await shelf.find(accountId, place.responseId))
    const stored = place && found.get(place.responseId)
    const list = place?.part === 'input' ? (stored?.input ?? []) : outputOf(stored?.response ?? {})
    const [meant] = place ? readable(list[place.index]) : []
    if (!meant)
      throw new Refusal(
        'invalid_request',
        `The item "${item.id}" is not stored: it never was, or its response was deleted or has expired. Send the item itself.`,
        { param: `input[${index}].id` },
      )
    items.push(meant)
    bytes += Buffer.byteLength(JSON.stringify(meant))
  }
  return { items, bytes }
}

/** Every call has its output, one, and every output its call: vendors take no others. Throws the 400 that names the one at fault. */
function checkCalls(items: readonly Item[], names: readonly string[]): void {
  const open = new Map<string, string>()
  const called = new Set<string>()
  /** Some vendors give several calls of a turn one id: of those that are stored here, no caller can change that. */
  const several = new Set<string>()
  items.forEach((item, index) => {
    const name = names[index] ?? 'input'
    const refuse = (message: string) => {
      throw new Refusal('invalid_request', message, { param: name.startsWith('input') ? `${name}.call_id` : name })
    }
    if (isCall(item)) {
      // One that has its output may come again: some vendors count their calls anew in each turn.
      if (open.get(item.call_id)?.startsWith('input') && name.startsWith('input'))
        refuse(`The call "${item.call_id}" already exists. Give each call its own call_id.`)
      if (called.has(item.call_id)) several.add(item.call_id)
      open.set(item.call_id, name)
      called.add(item.call_id)
    } else if (isOutput(item)) {
      if (!called.has(item.call_id)) refuse(`There is no call "${item.call_id}" before this output. Send the call too.`)
      if (!open.delete(item.call_id) && !several.has(item.call_id))
        refuse(`The call "${item.call_id}" already has an output. Send one for each call.`)
    }
  })
  for (const [callId, name] of open)
    throw new Refusal('invalid_request', `The call "${callId}" has no output. Send a function_call_output with its call_id.`, {
      param: name.startsWith('input') ? name : 'input',
    })
}
