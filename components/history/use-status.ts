'use client'
import { useTranslations } from 'next-intl'
import type { RequestRow } from '#lib/contracts/requests'
import type { Tone } from '../ui/tag.tsx'

const outcomes = ['cut', 'client_gone', 'timed_out', 'cancelled', 'undelivered'] as const
const codes = [
  'insufficient_quota',
  'rate_limit_exceeded',
  'model_not_found',
  'service_unavailable',
  'invalid_request_error',
  'context_length_exceeded',
  'server_error',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'idempotency_answer_not_kept',
  'previous_response_not_found',
  'upload_too_slow',
  'request_too_large',
  'unsupported_media_type',
] as const

export interface Status {
  tone: Tone
  /** Why the request failed. Null if it did not. */
  reason: string | null
}

/** The outcome of a request in a few words, with a tone. */
export function useStatus(): (row: Pick<RequestRow, 'status' | 'outcome' | 'errorCode' | 'quota'>) => Status {
  const t = useTranslations('history')
  return ({ status, outcome, errorCode, quota }) => {
    const failed = status >= 400
    const tone: Tone = failed ? 'bad' : outcome === 'finished' ? 'good' : 'warn'
    if (tone === 'good') return { tone, reason: null }
    const code = codes.find((name) => name === errorCode)
    const end = outcomes.find((name) => name === outcome)
    if (failed && outcome === 'vendor_failed') return { tone, reason: t('fromVendor', { status: String(status) }) }
    if (end !== undefined) return { tone, reason: t(`outcomes.${end}`) }
    if (quota !== null) return { tone, reason: t(`quota.${quota}`) }
    if (code !== undefined) return { tone, reason: t(`codes.${code}`) }
    return { tone, reason: failed ? `${status} ${errorCode ?? ''}`.trim() : outcome }
  }
}
