import { setTimeout as sleep } from 'node:timers/promises'
import { sendSpent } from '../fakes/spend.ts'
import {
  type Call,
  chatAnswer,
  chatChunk,
  sendEvent,
  sendJson,
  startFakeVendor,
  startStream,
  usageChunk,
  usageOf,
} from '../fakes/vendor.ts'
import { hangUp, neverRespond, respondError, respondRaw, respondText } from '../fakes/vendor-faults.ts'
import type { Random } from '../support/random.ts'

const INPUT_COUNT_RANGE = 400
const OUTPUT_COUNT_RANGE = 450

/**
 * The usage that the vendor reports for request number n. No two numbers have the same usage, so the books show to which request
 * a charge belongs. Both counts fit into the hold for a request of 500 tokens.
 */
export const usageOfNumber = (n: number): [input: number, output: number] => [
  100 + (n % INPUT_COUNT_RANGE),
  1 + (Math.floor(n / INPUT_COUNT_RANGE) % OUTPUT_COUNT_RANGE),
]

const MODES = {
  well: null,
  'hangs up': hangUp,
  'says nothing': neverRespond,
  'answers 500': respondError(500, { message: 'broken' }),
  'answers 503': respondError(503, { message: 'busy' }, { 'retry-after': '1' }),
  'answers 429': respondError(429, { message: 'slow down' }),
  'answers 401': respondError(401, { message: 'bad key' }),
  'sends a page': respondText('<html>', 'text/html'),
  'is no HTTP': respondRaw('220 mail ready\r\n'),
  'cuts streams': cutStream,
  'ends streams early': endStreamEarly,
  'reports no usage': (call: Call) => answerNormally(call, 1, false),
  'is slow': (call: Call) => answerNormally(call, 40, true),
} as const

export type VendorMode = keyof typeof MODES
export const VENDOR_FAULTS = Object.keys(MODES).filter((mode) => mode !== 'well') as VendorMode[]

/** Starts a vendor whose mode can be set. In every mode except `well` seven of ten calls go wrong in that way. */
export async function startFaultyVendor(random: Random) {
  const vendor = await startFakeVendor()
  let mode: VendorMode = 'well'
  vendor.answer(async (call) => {
    vendor.calls.length = 0
    call.response.on('error', () => undefined)
    const fault = MODES[mode]
    if (fault && random.chance(0.7)) await fault(call)
    else await answerNormally(call, random.integer(1, 4), true)
  })
  return {
    url: vendor.url,
    setMode(next: VendorMode) {
      mode = next
    },
    [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose](),
  }
}

const numberOf = ({ body }: Call): number => Number(/#(\d+)/.exec(JSON.stringify(body.messages))?.[1] ?? 0)

async function answerNormally(call: Call, pauseMs: number, reportsUsage: boolean): Promise<void> {
  // Any amount can be spent on this model.
  if (call.body.model === 'spend') return sendSpent(call)
  const [input, output] = usageOfNumber(numberOf(call))
  const usage = reportsUsage ? usageOf(input, output) : null
  await sleep(pauseMs * 3)
  if (call.body.stream !== true) return sendJson(call, chatAnswer('ok', usage))
  // A long answer fills every buffer between here and a client that reads nothing.
  const long = JSON.stringify(call.body.messages).includes('long')
  startStream(call)
  for (let piece = 0; piece < (long ? 400 : 6) && !call.response.destroyed; piece++) {
    sendEvent(call, chatChunk(long ? 'word '.repeat(1000) : 'word '))
    if (!long) await sleep(pauseMs)
    else if (call.response.writableNeedDrain)
      await Promise.race([new Promise((next) => call.response.once('drain', next)), call.disconnected])
  }
  sendEvent(call, chatChunk(null, 'stop'))
  if (usage) sendEvent(call, usageChunk(usage))
  sendEvent(call, '[DONE]')
  call.response.end()
}

async function cutStream(call: Call): Promise<void> {
  if (call.body.stream !== true) return hangUp(call)
  startStream(call)
  for (let piece = 0; piece < 3; piece++) {
    sendEvent(call, chatChunk('word '))
    await sleep(3)
  }
  hangUp(call)
}

async function endStreamEarly(call: Call): Promise<void> {
  if (call.body.stream !== true) return hangUp(call)
  startStream(call)
  sendEvent(call, chatChunk('word '))
  await sleep(5)
  call.response.end()
}
