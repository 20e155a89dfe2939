import { z } from 'zod'
import { count, nano, pageLimit, pageSchema, time } from './common.ts'
import { beforeId } from './cursor.ts'
import { requestFilters } from './history.ts'

/** GET /api/requests?before=&limit=&<filters> : newest first. */
export const requestQuery = requestFilters.extend({
  before: beforeId('req'),
  limit: pageLimit(50, 200),
})
export type RequestQuery = z.infer<typeof requestQuery>

/** What a request used that is not counted in tokens: images, characters, or seconds of audio or video. */
export const piecesUsed = z.object({ unit: z.enum(['image', 'character', 'audio_second', 'video_second']), count })
export type PiecesUsed = z.infer<typeof piecesUsed>

export const requestRow = z.object({
  id: z.string(),
  at: time,
  model: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  endpoint: z.string(),
  stream: z.boolean(),
  status: count,
  outcome: z.string(),
  errorCode: z.string().nullable(),
  /** What a request was refused for want of, if it was; these refusals have one code in common. */
  quota: z.enum(['suspended', 'key_limit', 'balance']).nullable(),
  inputUnits: count,
  outputUnits: count,
  /** Null if tokens were counted, or nothing was. */
  pieces: piecesUsed.nullable(),
  tookMs: z.number(),
  chargedNano: nano,
})
export type RequestRow = z.infer<typeof requestRow>
/**
 * `lookedTo`: how far back the search went, if the page is short and older requests may still match. `asOf`: when the page
 * was read; requests that began later are on no page of this list.
 */
export const requestPage = pageSchema(requestRow).extend({ lookedTo: time.nullable(), asOf: time })
export type RequestPage = z.infer<typeof requestPage>

/** One line of a receipt: `count` units at `priceNano` nano-dollars per million units. */
export const receiptLine = z.object({ unit: z.string(), count: z.string(), priceNano: nano, amountNano: nano })
export const receipt = z.object({
  priceId: z.string().nullable(),
  priceFrom: time.nullable(),
  lines: z.array(receiptLine),
  groupName: z.string(),
  multiplierBp: count,
  totalNano: nano,
  exact: z.boolean(),
  /** Why the counts are an estimate, if they are. */
  why: z.string().nullable(),
})
export type ReceiptView = z.infer<typeof receipt>

/** One deployment that was tried. Attempts are listed in the order in which they were made. */
export const attempt = z.object({
  deployment: z.string(),
  connection: z.string(),
  /** The vendor's name for the model; older records do not have one. */
  model: z.string().default(''),
  status: count.nullable(),
  tookMs: z.number(),
  /** One of AttemptResult in lib/domain/settlement.ts. */
  result: z.string(),
  detail: z.string().nullable().default(null),
})

/** GET /api/requests/{id} */
export const requestDetail = requestRow.extend({
  errorText: z.string().nullable(),
  finishReason: z.string().nullable(),
  cachedUnits: count,
  reasoningUnits: count,
  holdNano: nano,
  shortfallNano: nano,
  ownMs: z.number(),
  firstTokenMs: z.number().nullable(),
  receipt,
  attempts: z.array(attempt),
  historyDeleted: z.boolean(),
  /** Null if history is off, was deleted, or is past its retention. */
  history: z
    .object({
      /** The request's body as it was sent, with long media replaced by their digest and size. */
      request: z.json(),
      /** The answer in its non-streamed form: streams are folded into one. Null if there was none. */
      answer: z.json().nullable(),
    })
    .nullable(),
})
export type RequestDetail = z.infer<typeof requestDetail>
