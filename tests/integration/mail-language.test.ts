/** Mails are in the language in which their reader last used the console. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emailInput } from '#lib/contracts/sign-in'
import { changeEmail } from '#lib/services/account/change-email'
import { getMe } from '#lib/services/account/get-me'
import type { SignedInUser } from '#lib/services/ports'
import { requestReset } from '#lib/services/sign-in/request-reset'
import { signInWithProvider } from '#lib/services/sign-in/sign-in-with-provider'
import { signUp } from '#lib/services/sign-in/sign-up'
import { type ConsoleWorld, openConsoleWorld, PASSWORD } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const HAN = /\p{Script=Han}/u
let guestCount = 0
const guest = (locale: 'en' | 'zh') => world.guest(`10.9.0.${++guestCount}`, locale)
const join = async (email: string, locale: 'en' | 'zh') => {
  await signUp({ ctx: guest(locale), input: { name: 'Mei', email, password: PASSWORD } })
  await world.console.ports.background.idle()
}
const localeOf = async (email: string) => (await world.console.ports.users.byEmail(email))?.locale

it('who signs up in Chinese is written to in Chinese, also of what strangers do in English', async () => {
  await join('mei@example.com', 'zh')
  expect(world.mails.at(-1)).toMatchObject({ to: 'mei@example.com', subject: '请确认您在 Tollgate 的邮箱' })
  expect(world.mails.at(-1)?.text).toMatch(/^您好，Mei：\n\n.+\/verify#token=[\w-]+/)
  await join('mei@example.com', 'en')
  expect(world.mails.at(-1)).toMatchObject({ to: 'mei@example.com', subject: '您在 Tollgate 的邮箱' })
  const holder = await world.console.ports.users.byEmail('mei@example.com')
  expect(await world.console.ports.holders.find(holder?.accountId ?? '')).toMatchObject({ locale: 'zh' })
  expect(await world.console.ports.holders.localeOf('mei@example.com')).toBe('zh')
  expect(await world.console.ports.holders.localeOf('nobody@example.com')).toBe('en')
})

it('who comes by a provider is known by the language of the page', async () => {
  const input = { provider: 'github', providerAccountId: '77', name: 'Lin', email: 'lin@example.com' } as const
  expect(await signInWithProvider({ ctx: guest('zh'), input })).toMatchObject({ outcome: 'in', user: { locale: 'zh' } })
})

it('the language of the console that was used last is that of the next mail', async () => {
  const user = await world.newUser()
  const me = world.routes.consoleRoute(getMe)
  const use = async (headers: Record<string, string>, as: SignedInUser = user) => {
    expect((await world.call(me, { as, headers })).status).toBe(200)
    await world.console.ports.background.idle()
    return localeOf(user.email)
  }
  const subject = async () => {
    await requestReset({ ctx: guest('en'), input: { email: user.email } })
    await world.console.ports.background.idle()
    return world.mails.at(-1)?.subject
  }
  expect(await use({})).toBe('en')
  expect(await use({ 'accept-language': 'zh-CN,zh;q=0.9' })).toBe('zh')
  expect(await subject()).toMatch(HAN)
  // A program names no language, so the language does not change.
  expect(await use({})).toBe('zh')
  expect(await use({ 'accept-language': '*' })).toBe('zh')
  expect(await use({ 'accept-language': 'en-GB' })).toBe('en')
  expect(await subject()).not.toMatch(HAN)
})

it('the mail of a request is in the language of that very request', async () => {
  const user = await world.newUser()
  const change = world.routes.consoleRoute(changeEmail, { input: emailInput })
  const body = { email: 'other-one@example.com', password: PASSWORD }
  const headers = { 'accept-language': 'zh' }
  expect((await world.call(change, { method: 'POST', as: user, headers, body })).status).toBe(200)
  await world.console.ports.background.idle()
  expect(world.mails.at(-1)).toMatchObject({ to: 'other-one@example.com', subject: '请确认您在 Tollgate 的新邮箱' })
})

it('is noted once by each session, and not of an account that is closed', async () => {
  const user = await world.newUser()
  const { users } = world.console.ports
  let writes = 0
  const setLocale: typeof users.setLocale = (...args) => {
    writes++
    return users.setLocale(...args)
  }
  world.console.ports.users = { ...users, setLocale }
  const me = world.routes.consoleRoute(getMe)
  for (let turn = 0; turn < 5; turn++) await world.call(me, { as: user, headers: { 'accept-language': 'zh' } })
  await world.console.ports.background.idle()
  world.console.ports.users = users
  expect([writes, await localeOf(user.email)]).toEqual([1, 'zh'])
  await world.pool.query('update account set closed_at = now() where id = $1', [user.accountId])
  await users.setLocale(user.userId, 'en')
  expect(await localeOf(user.email)).toBe('zh')
})
