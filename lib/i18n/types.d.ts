import type en from '../../components/messages/en.json'
import type { Locale as Locales } from '../contracts/locales.ts'

declare module 'next-intl' {
  /** Makes a wrong key in `t('…')` an error of the type checker. */
  interface AppConfig {
    Messages: typeof en
    Locale: Locales
  }
}
