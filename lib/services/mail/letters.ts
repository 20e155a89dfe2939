import { type PlainMessage, said } from '../../messages/said.ts'
import type { SignInSettings } from '../sign-in/sign-in-ports.ts'
import type { MailText, Reader } from './mail-ports.ts'
import { mailTo } from './mail-text.ts'

/** To a new user, to prove that the address is theirs. */
export const verifyLetter = (to: Reader, link: string): MailText =>
  mailTo(
    to,
    'Confirm your address at Tollgate',
    said('an account was made with this address. Confirm that it is yours: {link}', { link }),
    'The link is good once, for 24 hours. If the account is not yours, do nothing.',
  )

/** To the address that somebody wants to change to. */
export const changeLetter = (to: Reader, link: string): MailText =>
  mailTo(
    to,
    'Confirm your new address at Tollgate',
    said('confirm that you want to sign in with this address from now on: {link}', { link }),
    'The link is good once, for 24 hours. If you did not ask for it, do nothing.',
  )

/** To the address so far, once another one took its place. */
export const changedLetter = (to: Reader, now: string): MailText =>
  mailTo(
    to,
    'Your address at Tollgate was changed',
    said('your account is signed in to with {email} now.', { email: now }),
    'If this was not you, tell whoever runs this gateway at once.',
  )

/** To somebody who has forgotten the password. */
export const resetLetter = (to: Reader, link: string): MailText =>
  mailTo(
    to,
    'Set a new password at Tollgate',
    said('set a new password: {link}', { link }),
    'The link is good once, for an hour. If you did not ask for it, do nothing: your password stays as it is.',
  )

const KEYS_ENDED: PlainMessage =
  'Nobody had confirmed this address before, so API keys and webhooks made until now were ended. Make new ones.'

/** After a password was set; `keysEnded` where keys and webhooks went with it. */
export const passwordLetter = (to: Reader, settings: SignInSettings, keysEnded = false): MailText =>
  mailTo(
    to,
    'Your password at Tollgate was changed',
    'your password was changed, and all other sessions were ended.',
    ...(keysEnded ? [KEYS_ENDED] : []),
    said('If this was not you, set a new one: {link}', { link: settings.page('/forgot') }),
  )

/** To the owner of an address with which somebody wanted an account, or to which somebody wanted to change. */
export const takenLetter = (to: Reader, settings: SignInSettings): MailText =>
  mailTo(
    to,
    'Your address at Tollgate',
    said('somebody, perhaps you, wanted to use this address for an account. You have one already: {link}', {
      link: settings.page('/sign-in'),
    }),
    said('If you have forgotten its password: {link}', { link: settings.page('/forgot') }),
    'If it was not you, do nothing.',
  )

/** After the login of a provider was joined to an account that was there before. */
export const joinedLetter = (to: Reader, provider: string, settings: SignInSettings): MailText =>
  mailTo(
    to,
    said('{provider} can sign in to your Tollgate account', { provider }),
    said('from now on you can sign in with {provider}, whose address is the one of your account.', { provider }),
    said('If this was not you, disconnect it: {link}', { link: settings.page('/settings/security') }),
  )

const SWITCHED_OFF = {
  failing: 'the webhook endpoint {url} has taken nothing for three days and was switched off. Nothing is sent to it any more.',
  gone: 'the webhook endpoint {url} answered 410 Gone and was switched off. Nothing is sent to it any more.',
} as const

/** After an endpoint of webhooks was switched off; `page` is where it is switched on again. */
export const switchedOffLetter = (to: Reader, url: string, reason: keyof typeof SWITCHED_OFF, page: string): MailText =>
  mailTo(
    to,
    'A webhook endpoint was switched off',
    said(SWITCHED_OFF[reason], { url }),
    said('Mend it and switch it on again: {link}', { link: page }),
  )
