import { expect, it } from 'vitest'
import {
  composeEmailChangedEmail,
  composeEmailChangeEmail,
  composeExistingAccountEmail,
  composePasswordChangedEmail,
  composePasswordResetEmail,
  composeProviderLinkedEmail,
  composeSecondStepEmail,
  composeSecondStepResetEmail,
  composeVerificationEmail,
  composeWebhookDisabledEmail,
} from './emails.ts'
import type { EmailMessage, Recipient } from './mail-ports.ts'

const LINK = 'https://gate.example.com/page#token=abc'
const settings = { pageUrl: () => LINK, mail: true, providers: [] }

it.each<[string, (to: Recipient) => EmailMessage]>([
  ['a new address', (to) => composeVerificationEmail(to, LINK)],
  ['another address', (to) => composeEmailChangeEmail(to, LINK)],
  ['a forgotten password', (to) => composePasswordResetEmail(to, LINK)],
  ['a changed password', (to) => composePasswordChangedEmail(to, settings)],
  ['a changed password that ended keys', (to) => composePasswordChangedEmail(to, settings, true)],
  ['a second step that is on', (to) => composeSecondStepEmail(to, 'on', settings)],
  ['a second step that is off', (to) => composeSecondStepEmail(to, 'off', settings)],
  ['new recovery codes', (to) => composeSecondStepEmail(to, 'codes', settings)],
  ['a second step that an operator reset', (to) => composeSecondStepResetEmail(to, settings)],
  ['a taken address', (to) => composeExistingAccountEmail(to, settings)],
  ['a joined provider', (to) => composeProviderLinkedEmail(to, 'GitHub', settings)],
  ['an endpoint that took nothing', (to) => composeWebhookDisabledEmail(to, 'https://hook.example.com', 'failing', LINK)],
  ['an endpoint that is gone', (to) => composeWebhookDisabledEmail(to, 'https://hook.example.com', 'gone', LINK)],
])('a mail about %s says the same in both languages', (_what, letter) => {
  const [english, chinese] = (['en', 'zh'] as const).map((locale) => letter({ name: 'Ada', email: 'a@example.com', locale }))
  const links = (mail: EmailMessage | undefined) => mail?.text.match(/https:[^\s。]+/g)?.sort()
  expect(english?.text).toMatch(/^Hello Ada,\n\n[A-Z]/)
  expect(chinese?.text).toMatch(/^您好，Ada：\n\n/)
  expect([english?.to, chinese?.to]).toEqual(['a@example.com', 'a@example.com'])
  expect(links(chinese)).toEqual(links(english))
  const names = /https:\S+|Tollgate|Webhook|GitHub|API|Ada|410 Gone/g
  expect(`${chinese?.subject}${chinese?.text}`.replace(names, '')).not.toMatch(/[A-Za-z{}]/)
  expect(`${english?.subject}${english?.text}`).not.toMatch(/[{}\p{Script=Han}]/u)
})

it('the address so far is told of the one that took its place', () => {
  expect(composeEmailChangedEmail({ name: 'Ada', email: 'old@example.com', locale: 'zh' }, 'new@example.com')).toMatchObject({
    to: 'old@example.com',
    text: expect.stringContaining('new@example.com'),
  })
})
