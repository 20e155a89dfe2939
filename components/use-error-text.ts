'use client'
import { useTranslations } from 'next-intl'
import { ApiError } from './fetch-json.ts'

const known = [
  'unreachable',
  'unexpected_answer',
  'signed_out',
  'rate_limit_exceeded',
  'wrong_code',
  'wrong_password',
  'bad_link',
] as const

/**
 * What to tell a person about a failed call: our own words for what we know, else what the server
 * wrote, which is meant to be read and says what to do next.
 */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations('errors')
  return (error) => {
    if (!(error instanceof ApiError)) return t('unexpected_answer')
    const code = known.find((name) => name === error.code)
    return code === undefined ? error.message : t(code)
  }
}
