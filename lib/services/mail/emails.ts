import { messageWith, type PlainMessage } from '../../messages/message.ts'
import type { SignInSettings } from '../sign-in/sign-in-ports.ts'
import type { EmailMessage, Recipient } from './mail-ports.ts'
import { composeEmail } from './mail-text.ts'

/** To a new user, to confirm that the address is theirs. */
export const composeVerificationEmail = (to: Recipient, link: string): EmailMessage =>
  composeEmail(
    to,
    'Confirm your Tollgate email address',
    messageWith('An account was created with this address. Confirm that it is yours: {link}', { link }),
    'The link works once and expires in 24 hours. If the account is not yours, ignore this email.',
  )

/** To the address that a user wants to change to. */
export const composeEmailChangeEmail = (to: Recipient, link: string): EmailMessage =>
  composeEmail(
    to,
    'Confirm your new Tollgate email address',
    messageWith('Confirm that you want to sign in with this address from now on: {link}', { link }),
    'The link works once and expires in 24 hours. If you did not request it, ignore this email.',
  )

/** To the previous address, after it was replaced. */
export const composeEmailChangedEmail = (to: Recipient, newEmail: string): EmailMessage =>
  composeEmail(
    to,
    'Your Tollgate email address was changed',
    messageWith('You now sign in to your account with {email}.', { email: newEmail }),
    'If this was not you, contact the operator of this gateway immediately.',
  )

/** To a user who has forgotten their password. */
export const composePasswordResetEmail = (to: Recipient, link: string): EmailMessage =>
  composeEmail(
    to,
    'Set a new Tollgate password',
    messageWith('Set a new password: {link}', { link }),
    'The link works once and expires in an hour. If you did not request it, ignore this email. Your password stays the same.',
  )

const KEYS_ENDED: PlainMessage =
  'This address was not confirmed before, so existing API keys and webhooks were ended. Create new ones.'

/** After a password was set. `keysEnded` if keys and webhooks were ended with it. */
export const composePasswordChangedEmail = (to: Recipient, settings: SignInSettings, keysEnded = false): EmailMessage =>
  composeEmail(
    to,
    'Your Tollgate password was changed',
    'Your password was changed, and all other sessions were ended.',
    ...(keysEnded ? [KEYS_ENDED] : []),
    messageWith('If this was not you, set a new one: {link}', { link: settings.pageUrl('/forgot') }),
  )

const SECOND_STEP_TEXTS = {
  on: [
    'Two-step verification is on for your Tollgate account',
    'From now on, each sign-in asks for a code from your authenticator app, or for a recovery code.',
  ],
  off: [
    'Two-step verification is off for your Tollgate account',
    'From now on, no sign-in asks for a code, and the recovery codes no longer work.',
  ],
  codes: [
    'Your Tollgate account has new recovery codes',
    'New recovery codes were created for two-step verification. The previous ones no longer work.',
  ],
} as const satisfies Record<string, [PlainMessage, PlainMessage]>

/** After a user has turned their second step on or off, or has made new recovery codes. */
export function composeSecondStepEmail(
  to: Recipient,
  change: keyof typeof SECOND_STEP_TEXTS,
  settings: SignInSettings,
): EmailMessage {
  const [subject, text] = SECOND_STEP_TEXTS[change]
  return composeEmail(
    to,
    subject,
    text,
    messageWith('If this was not you, set a new password at once: {link}', { link: settings.pageUrl('/forgot') }),
    'Then check two-step verification in your settings, or contact the operator of this gateway.',
  )
}

/** After an operator has turned off somebody's second step. */
export const composeSecondStepResetEmail = (to: Recipient, settings: SignInSettings): EmailMessage =>
  composeEmail(
    to,
    'Two-step verification is off for your Tollgate account',
    'An operator of this gateway turned off two-step verification for your account. All your sessions were ended.',
    messageWith('Sign in and turn it on again: {link}', { link: settings.pageUrl('/settings/security') }),
    'If you did not ask for this, contact the operator of this gateway immediately.',
  )

/** To the owner of an address that somebody wanted to sign up with or change to. */
export const composeExistingAccountEmail = (to: Recipient, settings: SignInSettings): EmailMessage =>
  composeEmail(
    to,
    'Your Tollgate email address',
    messageWith('Somebody, perhaps you, wanted to use this address for an account. You already have one: {link}', {
      link: settings.pageUrl('/sign-in'),
    }),
    messageWith('If you forgot its password, set a new one: {link}', { link: settings.pageUrl('/forgot') }),
    'If this was not you, ignore this email.',
  )

/** After a provider's sign-in was linked to an existing account. */
export const composeProviderLinkedEmail = (to: Recipient, provider: string, settings: SignInSettings): EmailMessage =>
  composeEmail(
    to,
    messageWith('{provider} can now sign in to your Tollgate account', { provider }),
    messageWith('From now on you can sign in with {provider}, which uses the email address of your account.', { provider }),
    messageWith('If this was not you, disconnect it: {link}', { link: settings.pageUrl('/settings/security') }),
  )

const DISABLED_TEXTS = {
  failing: 'The webhook endpoint {url} accepted nothing for three days and was turned off. Nothing more is sent to it.',
  gone: 'The webhook endpoint {url} answered 410 Gone and was turned off. Nothing more is sent to it.',
} as const

/** After a webhook endpoint was switched off. `page` is where it can be switched on again. */
export const composeWebhookDisabledEmail = (
  to: Recipient,
  url: string,
  reason: keyof typeof DISABLED_TEXTS,
  page: string,
): EmailMessage =>
  composeEmail(
    to,
    'A webhook endpoint was turned off',
    messageWith(DISABLED_TEXTS[reason], { url }),
    messageWith('Fix it and turn it on again: {link}', { link: page }),
  )
