/** The languages of the console, each with its own name for itself. */
export const locales = { en: 'English', zh: '简体中文' } as const

export type Locale = keyof typeof locales

/** The cookie that remembers the reader's choice. */
export const LOCALE_COOKIE = 'locale'

const isLocale = (value: string | undefined): value is Locale => value !== undefined && Object.hasOwn(locales, value)

/**
 * The language to answer in: the reader's own choice, or else the first language in the browser's list
 * (`zh-CN,zh;q=0.9,en;q=0.8`, in the order written) that the console supports, or else English.
 */
export function chooseLocale(chosen: string | undefined, accepted: string | null): Locale {
  if (isLocale(chosen)) return chosen
  const wanted = (accepted ?? '').split(',').map((entry) => entry.trim().slice(0, 2).toLowerCase())
  return wanted.find(isLocale) ?? 'en'
}
