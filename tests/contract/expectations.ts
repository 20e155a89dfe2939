import { expect } from 'vitest'
import { chatChunk, sendEvent, startStream, type Call as VendorCall } from '../fakes/vendor.ts'
import { type DocumentSchema, loadOpenAiDocument } from '../support/openai-document.ts'
import { type Call, eventsOf } from './recorder.ts'
import type { TestAccount } from './world.ts'

/** A PNG of one pixel, 70 bytes. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PNG_URL = `data:image/png;base64,${PNG}`

/** A system prompt that makes the sandbox say this and nothing else. */
export const dictate = (text: string): string => `reply exactly: ${text}`

/** The error with which a promise is rejected. It must be of this class. */
export async function expectRejection<T extends Error>(
  // biome-ignore lint/suspicious/noExplicitAny: constructors may take any arguments
  type: abstract new (...args: any[]) => T,
  promise: PromiseLike<unknown>,
): Promise<T> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`it was not rejected, but answered ${JSON.stringify(outcome.value).slice(0, 400)}`)
  expect(outcome.error).toBeInstanceOf(type)
  return outcome.error as T
}

/** `usage.cost` in nano-dollars. Fails if it is not a number. */
export function costOf(usage: object | null | undefined): bigint {
  const cost = (usage as { cost?: unknown } | null | undefined)?.cost
  expect(cost).toEqual(expect.any(Number))
  return BigInt(Math.round((cost as number) * 1e9))
}

/** Expects that nothing was charged, and that the one record of the account says why. */
export async function expectNotCharged(account: TestAccount, status: number, outcome: string): Promise<void> {
  const [record] = await account.waitForRecords(1)
  expect(record).toMatchObject({ status, outcome, charged_nano: 0n })
  expect(await account.spent()).toBe(0n)
}

/** Expects that a broken stream says so in its last event, and does not end as if it were complete. */
export function expectBrokenStream(call: Call): void {
  const events = eventsOf(call.text)
  expect(call.text).not.toContain('[DONE]')
  expect(JSON.parse(events.at(-1) ?? '{}')).toMatchObject({ error: { type: 'server_error', code: 'server_error' } })
}

const document = loadOpenAiDocument()

/** Expects that a vendor was sent a valid request by the OpenAI document. Checks nothing if the document is absent. */
export function expectValid(schema: DocumentSchema, call: VendorCall | undefined): void {
  expect(call).toBeDefined()
  if (document) expect(document.findProblems(schema, call?.body)).toEqual([])
}

/** Begins a stream with the role and these pieces, as vendors do, and leaves it open. */
export function beginStream(call: VendorCall, pieces: string[]): void {
  startStream(call)
  sendEvent(call, { ...chatChunk(null), choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] })
  for (const piece of pieces) sendEvent(call, chatChunk(piece))
}

/** Everything that a stream yields. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}
