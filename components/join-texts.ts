import type { Locale } from 'next-intl'

/** `tools, vision`, in Chinese `工具调用、视觉理解`. */
export const joinList = (locale: Locale, items: readonly (string | number)[]): string => items.join(locale === 'zh' ? '、' : ', ')

/** One sentence after another, with a space between them in English and none in Chinese. What is empty is left out. */
export const joinSentences = (locale: Locale, sentences: readonly (string | false | null)[]): string =>
  sentences.filter(Boolean).join(locale === 'zh' ? '' : ' ')
