import { greetingOf } from './greeting.ts'
import type { SignInSettings } from './sign-in-ports.ts'

interface Person {
  name: string
  email: string
}

interface Letter {
  to: string
  subject: string
  text: string
}

const letter = ({ name, email }: Person, subject: string, ...parts: string[]): Letter => ({
  to: email,
  subject,
  text: [greetingOf(name), ...parts].join('\n\n'),
})

/** To a new user, to prove that the address is theirs. */
export const verifyLetter = (to: Person, link: string): Letter =>
  letter(
    to,
    'Confirm your address at Tollgate',
    `an account was made with this address. Confirm that it is yours: ${link}`,
    'The link is good once, for 24 hours. If the account is not yours, do nothing.',
  )

/** To the address that somebody wants to change to. */
export const changeLetter = (to: Person, link: string): Letter =>
  letter(
    to,
    'Confirm your new address at Tollgate',
    `confirm that you want to sign in with this address from now on: ${link}`,
    'The link is good once, for 24 hours. If you did not ask for it, do nothing.',
  )

/** To the address so far, once another one took its place. */
export const changedLetter = (to: Person, now: string): Letter =>
  letter(
    to,
    'Your address at Tollgate was changed',
    `your account is signed in to with ${now} now.`,
    'If this was not you, tell whoever runs this gateway at once.',
  )

/** To somebody who has forgotten the password. */
export const resetLetter = (to: Person, link: string): Letter =>
  letter(
    to,
    'Set a new password at Tollgate',
    `set a new password: ${link}`,
    'The link is good once, for an hour. If you did not ask for it, do nothing: your password stays as it is.',
  )

/** After a password was set; `keysEnded` where keys and webhooks went with it. */
export const passwordLetter = (to: Person, settings: SignInSettings, keysEnded = false): Letter =>
  letter(
    to,
    'Your password at Tollgate was changed',
    'your password was changed, and all other sessions were ended.',
    ...(keysEnded
      ? ['Nobody had confirmed this address before, so API keys and webhooks made until now were ended. Make new ones.']
      : []),
    `If this was not you, set a new one: ${settings.page('/forgot')}`,
  )

/** To the owner of an address with which somebody wanted an account, or to which somebody wanted to change. */
export const takenLetter = (to: Person, settings: SignInSettings): Letter =>
  letter(
    to,
    'Your address at Tollgate',
    `somebody, perhaps you, wanted to use this address for an account. You have one already: ${settings.page('/sign-in')}`,
    `If you have forgotten its password: ${settings.page('/forgot')}`,
    'If it was not you, do nothing.',
  )

/** After the login of a provider was joined to an account that was there before. */
export const joinedLetter = (to: Person, provider: string, settings: SignInSettings): Letter =>
  letter(
    to,
    `${provider} can sign in to your Tollgate account`,
    `from now on you can sign in with ${provider}, whose address is the one of your account.`,
    `If this was not you, disconnect it: ${settings.page('/settings/security')}`,
  )
