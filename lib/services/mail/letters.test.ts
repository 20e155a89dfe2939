import { expect, it } from 'vitest'
import {
  changedLetter,
  changeLetter,
  joinedLetter,
  passwordLetter,
  resetLetter,
  switchedOffLetter,
  takenLetter,
  verifyLetter,
} from './letters.ts'
import type { MailText, Reader } from './mail-ports.ts'

const LINK = 'https://gate.example.com/page#token=abc'
const settings = { page: () => LINK, mail: true, providers: [] }

it.each<[string, (to: Reader) => MailText]>([
  ['a new address', (to) => verifyLetter(to, LINK)],
  ['another address', (to) => changeLetter(to, LINK)],
  ['a forgotten password', (to) => resetLetter(to, LINK)],
  ['a changed password', (to) => passwordLetter(to, settings)],
  ['a changed password that ended keys', (to) => passwordLetter(to, settings, true)],
  ['a taken address', (to) => takenLetter(to, settings)],
  ['a joined provider', (to) => joinedLetter(to, 'GitHub', settings)],
  ['an endpoint that took nothing', (to) => switchedOffLetter(to, 'https://hook.example.com', 'failing', LINK)],
  ['an endpoint that is gone', (to) => switchedOffLetter(to, 'https://hook.example.com', 'gone', LINK)],
])('a mail about %s says the same in both languages', (_what, letter) => {
  const [english, chinese] = (['en', 'zh'] as const).map((locale) => letter({ name: 'Ada', email: 'a@example.com', locale }))
  const links = (mail: MailText | undefined) => mail?.text.match(/https:[^\s。]+/g)?.sort()
  expect(english?.text).toMatch(/^Hello Ada,\n\n[A-Z]/)
  expect(chinese?.text).toMatch(/^您好，Ada：\n\n/)
  expect([english?.to, chinese?.to]).toEqual(['a@example.com', 'a@example.com'])
  expect(links(chinese)).toEqual(links(english))
  const names = /https:\S+|Tollgate|Webhook|GitHub|API|Ada|410 Gone/g
  expect(`${chinese?.subject}${chinese?.text}`.replace(names, '')).not.toMatch(/[A-Za-z{}]/)
  expect(`${english?.subject}${english?.text}`).not.toMatch(/[{}\p{Script=Han}]/u)
})

it('the address so far is told of the one that took its place', () => {
  expect(changedLetter({ name: 'Ada', email: 'old@example.com', locale: 'zh' }, 'new@example.com')).toMatchObject({
    to: 'old@example.com',
    text: expect.stringContaining('new@example.com'),
  })
})
