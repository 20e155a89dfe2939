import type { Locale } from '#lib/contracts/locales'
import type { Content } from './blocks.ts'
import { en } from './en/content.ts'
import { zh } from './zh/content.ts'

/** The documentation in every language of the console. */
export const contents: Record<Locale, Content> = { en, zh }
