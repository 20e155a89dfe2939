import { useTranslations } from 'next-intl'

const finishes = ['stop', 'length', 'tool_calls', 'function_call', 'content_filter'] as const

/** Why an answer ended, as the API has it: its word for it in English, what it means in other languages. */
export function useFinish(): (finish: string) => string {
  const t = useTranslations('history.finishes')
  return (finish) => {
    const known = finishes.find((name) => name === finish)
    return known === undefined ? finish : t(known)
  }
}
