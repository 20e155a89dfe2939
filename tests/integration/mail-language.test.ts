/** Mails are in the language in which their reader last used the console. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { enterWithProvider } from '#lib/services/enter-with-provider'
import { getMe } from '#lib/services/get-me'
import type { SignedIn } from '#lib/services/ports'
import { requestReset } from '#lib/services/request-reset'
import { signUp } from '#lib/services/sign-up'
import { createWebhookQueue } from '#lib/store/webhook-queue'
import { KEYRING, openWorld, PASSWORD, type World } from './console-world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const HAN = /\p{Script=Han}/u
let asked = 0
const guest = (locale: 'en' | 'zh') => world.guest(`10.9.0.${++asked}`, locale)
const join = async (email: string, locale: 'en' | 'zh') => {
  await signUp({ ctx: guest(locale), input: { name: 'Mei', email, password: PASSWORD } })
  await world.console.ports.background.idle()
}
const localeOf = async (email: string) => (await world.console.ports.users.byEmail(email))?.locale

it('who signs up in Chinese is written to in Chinese, also of what strangers do in English', async () => {
  await join('mei@example.com', 'zh')
  expect(world.mails.at(-1)).toMatchObject({ to: 'mei@example.com', subject: '请确认您在 Tollgate 的邮箱' })
  expect(world.mails.at(-1)?.text).toMatch(/^Mei，您好：\n\n.+\/verify#token=[\w-]+/)
  await join('mei@example.com', 'en')
  expect(world.mails.at(-1)).toMatchObject({ to: 'mei@example.com', subject: '您在 Tollgate 的邮箱' })
  const holder = await world.console.ports.users.byEmail('mei@example.com')
  expect(await world.console.ports.holders.of(holder?.accountId ?? '')).toMatchObject({ locale: 'zh' })
  expect(await createWebhookQueue(world.pool, KEYRING).holder(holder?.accountId ?? '')).toMatchObject({ locale: 'zh' })
  expect(await world.console.ports.holders.localeOf('mei@example.com')).toBe('zh')
  expect(await world.console.ports.holders.localeOf('nobody@example.com')).toBe('en')
})

it('who comes by a provider is known by the language of the page', async () => {
  const input = { provider: 'github', providerAccountId: '77', name: 'Lin', email: 'lin@example.com' } as const
  expect(await enterWithProvider({ ctx: guest('zh'), input })).toMatchObject({ outcome: 'in', user: { locale: 'zh' } })
})

it('the language of the console that was used last is that of the next mail', async () => {
  const user = await world.newUser()
  const me = world.routes.consoleRoute(getMe)
  const use = async (headers: Record<string, string>, as: SignedIn = user) => {
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
  // A program says nothing of a language, and changes none.
  expect(await use({})).toBe('zh')
  // For two seconds a session is remembered as it was.
  await vi.waitFor(async () => expect(await use({ 'accept-language': 'en-GB' })).toBe('en'), { timeout: 5000, interval: 200 })
  expect(await subject()).not.toMatch(HAN)
})
