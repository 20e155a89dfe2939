import { consoleRoute } from '#app/api/console'
import { emailPreferencesInput } from '#lib/contracts/account'
import { getEmailPreferences, setEmailPreferences } from '#lib/services/mail/email-preferences'

export const GET = consoleRoute(getEmailPreferences)
export const POST = consoleRoute(setEmailPreferences, { input: emailPreferencesInput })
