import { cookies, headers } from 'next/headers'
import { getRequestConfig } from 'next-intl/server'
import en from '../../components/messages/en.json'
import zh from '../../components/messages/zh.json'
import { chooseZone, ZONE_COOKIE } from '../../components/messages/zone.ts'
import { chooseLocale, LOCALE_COOKIE, type Locale } from '../contracts/locales.ts'

// Next's build makes modules of these files, in which the texts are parsed already; as JSON it could not take them.
// The shape of the English texts is what every other language has to fill; a unit test compares keys.
const messages: Record<Locale, typeof en> = { en, zh }

/**
 * Tells next-intl which language this request is answered in: the cookie, else the browser's wish; and the time and the zone
 * in which the server writes times. The browser draws with the same ones first (components/use-format.ts).
 */
export default getRequestConfig(async () => {
  const [jar, sent] = await Promise.all([cookies(), headers()])
  const locale = chooseLocale(jar.get(LOCALE_COOKIE)?.value, sent.get('accept-language'))
  return { locale, messages: messages[locale], timeZone: chooseZone(jar.get(ZONE_COOKIE)?.value), now: new Date() }
})
