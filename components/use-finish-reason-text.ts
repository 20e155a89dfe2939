import { useTranslations } from 'next-intl'

const finishes = ['stop', 'length', 'tool_calls', 'function_call', 'content_filter'] as const

/** The finish reason of an answer: the API's own word in English, its meaning in other languages. */
export function useFinishReasonText(): (finish: string) => string {
  const t = useTranslations('history.finishes')
  return (finish) => {
    const known = finishes.find((name) => name === finish)
    return known === undefined ? finish : t(known)
  }
}
