import { MAX_MODELS, type RequestFilters } from '#lib/contracts/history'
import { parseDecimal } from '../../domain/money.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time-units.ts'
import { messageWith } from '../../messages/message.ts'
import { invalidField } from '../service-error.ts'
import type { RequestFilter } from './history-ports.ts'
import { isRequestIdPrefix } from './request-id.ts'

const RANGE_MS = { '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const

function timeRangeOf(input: RequestFilters, now: Date): Pick<RequestFilter, 'from' | 'to'> {
  const from = input.from === undefined ? null : new Date(input.from)
  const to = input.to === undefined ? null : new Date(input.to)
  if (from !== null && to !== null && from >= to) throw invalidField('to', 'The end must be after the start.')
  if (from !== null || to !== null || input.range === undefined) return { from, to }
  return { from: new Date(now.getTime() - RANGE_MS[input.range]), to: null }
}

function searchOf({ q, in: where }: RequestFilters): RequestFilter['search'] {
  const text = q?.trim() ?? ''
  if (text === '') return null
  if (where === 'messages') return { in: 'messages', text }
  return { in: isRequestIdPrefix(text) ? 'id' : 'record', text }
}

function modelsOf(list: string | undefined): string[] {
  const models = [...new Set((list ?? '').split(',').filter((model) => model !== ''))]
  if (models.length > MAX_MODELS) throw invalidField('model', messageWith('Choose at most {most} models.', { most: MAX_MODELS }))
  return models
}

/** Resolves the filters of an address at a given time. Errors: `invalid_input` (to, model). */
export function requestFilter(input: RequestFilters, now: Date): RequestFilter {
  return {
    ...timeRangeOf(input, now),
    models: modelsOf(input.model),
    keyId: input.key ?? null,
    // Only failed requests have a code.
    status: input.status ?? (input.code === undefined ? null : 'error'),
    errorCode: input.code ?? null,
    endpoint: input.endpoint ?? null,
    stream: input.stream === undefined ? null : input.stream === 'yes',
    minNano: input.cost === undefined ? null : parseDecimal(input.cost),
    minTookMs: input.took === undefined ? null : Number(input.took),
    search: searchOf(input),
  }
}
