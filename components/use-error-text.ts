'use client'
import { useTranslations } from 'next-intl'
import { createElement, type ReactNode } from 'react'
import { ApiError } from './fetch-json.ts'
import { SignedOutText } from './signed-out-text.tsx'

const knownCodes = ['unreachable', 'unexpected_answer', 'too_many_requests', 'wrong_password', 'bad_link'] as const

/**
 * The message to show for a failed call. Codes that we know have our own text, with a link if that is the next step. Otherwise
 * it is the server's message, which is written for people and says what to do next.
 */
export function useErrorText(): (error: unknown) => ReactNode {
  const t = useTranslations('errors')
  return (error) => {
    if (!(error instanceof ApiError)) return t('unexpected_answer')
    if (error.code === 'signed_out') return createElement(SignedOutText)
    const code = knownCodes.find((name) => name === error.code)
    return code === undefined ? error.message : t(code)
  }
}
