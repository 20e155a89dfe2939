'use client'
import { useTranslations } from 'next-intl'
import { createElement, type ReactNode } from 'react'
import { ApiError } from './fetch-json.ts'
import { SignedOutText } from './sign-in-again.tsx'

const known = ['unreachable', 'unexpected_answer', 'too_many_requests', 'wrong_code', 'wrong_password', 'bad_link'] as const

/**
 * What to tell a person about a failed call: our own words for what we know, with a link where that is the next step, else
 * what the server wrote, which is meant to be read and says what to do next.
 */
export function useErrorText(): (error: unknown) => ReactNode {
  const t = useTranslations('errors')
  return (error) => {
    if (!(error instanceof ApiError)) return t('unexpected_answer')
    if (error.code === 'signed_out') return createElement(SignedOutText)
    const code = known.find((name) => name === error.code)
    return code === undefined ? error.message : t(code)
  }
}
