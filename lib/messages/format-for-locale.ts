import type { Locale } from '../contracts/locales.ts'
import { chinese } from './chinese.ts'
import { formatMessage, type Message, type MessageDescriptor } from './message.ts'

/** What a library wrote of a value (see zod-issue.ts in lib/services) has no Chinese of its own. */
const toChinese = (message: Message): string => chinese[message] ?? chinese['This value is invalid.']

/** What is said, in the language of whoever reads it. */
export const formatForLocale = (stored: MessageDescriptor, locale: Locale): string =>
  formatMessage(stored, locale === 'zh' ? toChinese : undefined)
