import type { Locale } from '../contracts/locales.ts'
import { chinese } from './chinese.ts'
import { type Message, type Said, written } from './said.ts'

/** What a library wrote of a value (see said-issue.ts in lib/services) has no Chinese of its own. */
const inChinese = (message: Message): string => chinese[message] ?? chinese['This value is invalid.']

/** What is said, in the language of whoever reads it. */
export const inLocale = (told: Said, locale: Locale): string => written(told, locale === 'zh' ? inChinese : undefined)
