import type { Locale } from 'next-intl'

/** `tools, vision`, in Chinese `工具调用、视觉理解`. */
export const joinList = (locale: Locale, items: readonly (string | number)[]): string => items.join(locale === 'zh' ? '、' : ', ')
