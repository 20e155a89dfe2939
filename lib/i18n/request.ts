import { cookies, headers } from 'next/headers'
import { getRequestConfig } from 'next-intl/server'
import en from '../../components/messages/en.json'
import { chooseLocale, LOCALE_COOKIE, type Locale } from '../../components/messages/locales.ts'
import zh from '../../components/messages/zh.json'

// Next's build makes modules of these files, in which the texts are parsed already; as JSON it could not take them.
// The shape of the English texts is what every other language has to fill; a unit test compares keys.
const messages: Record<Locale, typeof en> = { en, zh }

/** Tells next-intl which language this request is answered in: the cookie, else the browser's wish. */
export default getRequestConfig(async () => {
  const [jar, sent] = await Promise.all([cookies(), headers()])
  const locale = chooseLocale(jar.get(LOCALE_COOKIE)?.value, sent.get('accept-language'))
  // Times are shown by components/use-format.ts in the reader's own zone; this only keeps server and browser alike.
  return { locale, messages: messages[locale], timeZone: 'UTC' }
})
