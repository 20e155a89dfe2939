import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addedAlert, alertList, autoTopUp, cardPage } from '#lib/contracts/auto-top-up'
import { topUp, transactionPage } from '#lib/contracts/billing'
import type { NoticeEvent } from '#lib/services/alerts/notices-ports'
import { sendNotices } from '#lib/services/alerts/send-notices'
import { detachCards } from '#lib/services/billing/clean-up-stripe'
import type { SignedInUser } from '#lib/services/ports'
import { setupIntentObject } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { NOW, openConsoleWorld, provideConsole } from './console-world.ts'

const routes = {
  auto: await import('#app/api/billing/auto-top-up/route'),
  card: await import('#app/api/billing/card/route'),
  alerts: await import('#app/api/billing/alerts/route'),
  alert: await import('#app/api/billing/alerts/[id]/route'),
  topUp: await import('#app/api/billing/top-up/route'),
  transactions: await import('#app/api/billing/transactions/route'),
}

let auto: AutoTopUpWorld
let user: SignedInUser
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
  provideConsole(auto.billing.world.console)
})
afterAll(() => auto.close())
beforeEach(async () => {
  auto.billing.world.clock.at = NOW
  auto.billing.stripe.down = false
  user = await auto.billing.world.newUser()
})
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

type Handler = typeof routes.auto.GET
const call = (handler: Handler, more: object = {}) => auto.billing.world.call(handler, { as: user, ...more })
const post = (handler: Handler, body: unknown = {}) => call(handler, { method: 'POST', body })
const remove = (handler: Handler, params: Record<string, string> = {}) => call(handler, { method: 'DELETE', params })
const view = async () => autoTopUp.parse(await (await call(routes.auto.GET)).json())
const fieldOf = async (answer: Response) => [answer.status, (await answer.json()).error.field]
const methods = () => auto.billing.stripe.cards.methods
const cardOf = (of: SignedInUser) => auto.billing.world.console.ports.cards.find(of.accountId)
const AUTO_TOP_UP_INPUT = {
  enabled: true,
  consent: true,
  thresholdNano: String(5n * UNIT),
  amountNano: String(20n * UNIT),
  ceilingNano: String(100n * UNIT),
}

/** Opens a page to save a card, and saves one. Returns its session. */
async function completeCardPage() {
  const { url } = cardPage.parse(await (await post(routes.card.POST)).json())
  const session = auto.billing.stripe.sessions.get(url.split('/').at(-1) ?? '')
  if (!session) throw new Error('the stand-in has no such session')
  return auto.billing.stripe.pay(session.id)
}

async function saveCard() {
  const session = await completeCardPage()
  expect(await auto.billing.send('checkout.session.completed', session)).toBe(200)
  return session
}

describe('a card', () => {
  it('is saved at a page of Stripe’s, for a customer of the account, by the signed event', async () => {
    expect(await view()).toMatchObject({ payable: true, card: null, state: 'off', settings: null })
    const session = await completeCardPage()
    expect((await view()).card).toBeNull()
    const sessionRequest = auto.billing.stripe.asked.findLast(({ path }) => path === '/v1/checkout/sessions')
    expect(Object.fromEntries(sessionRequest?.form ?? [])).toMatchObject({
      mode: 'setup',
      client_reference_id: user.accountId,
      'setup_intent_data[metadata][tollgate_account]': user.accountId,
      success_url: 'http://localhost:3000/billing?card=saved',
    })
    expect(await auto.billing.send('checkout.session.completed', session)).toBe(200)
    expect((await view()).card).toEqual({ brand: 'visa', last4: '4242', expMonth: 8, expYear: 2030 })
    const customer = auto.billing.stripe.cards.customers.get(String(session.customer))
    expect(customer?.metadata).toEqual({ tollgate_account: user.accountId })
    // The next page is for the same customer.
    expect((await completeCardPage()).customer).toBe(session.customer)
  })

  it('is saved by the event of its set-up where that comes alone, and once', async () => {
    const session = await completeCardPage()
    const setup = auto.billing.stripe.cards.setups.get(String(session.setup_intent))
    if (!setup) throw new Error('no set-up')
    const event = setupIntentObject(String(session.setup_intent), setup.customer, setup.method, setup.metadata)
    for (let turn = 0; turn < 2; turn++) expect(await auto.billing.send('setup_intent.succeeded', event)).toBe(200)
    await auto.billing.send('checkout.session.completed', session)
    expect(await cardOf(user)).toMatchObject({ methodId: setup.method, customerId: session.customer })
    expect(methods().get(setup.method)?.customer).toBe(session.customer)
  })

  it('is saved with a payment where that was wanted, and only then', async () => {
    await auto.billing.completePayment(10, user)
    expect(await cardOf(user)).toBeNull()
    const { session } = await auto.billing.completePayment(10, user, true)
    expect(await cardOf(user)).toMatchObject({ customerId: session.customer, last4: '4242' })
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).balance).toBe(20n * UNIT)
    const form = auto.billing.stripe.asked.findLast(({ path }) => path === '/v1/checkout/sessions')?.form
    expect(form?.get('payment_intent_data[setup_future_usage]')).toBe('off_session')
  })

  it('does not keep its payment from being credited while Stripe cannot be asked for it', async () => {
    const { session } = await auto.billing.startPayment(10, user, true)
    const paidSession = auto.billing.stripe.pay(session.id)
    auto.billing.stripe.down = true
    expect(await auto.billing.send('checkout.session.completed', paidSession)).toBe(500)
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).balance).toBe(10n * UNIT)
    auto.billing.stripe.down = false
    expect(await auto.billing.send('checkout.session.completed', paidSession)).toBe(200)
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).balance).toBe(10n * UNIT)
    expect(await cardOf(user)).not.toBeNull()
  })

  it('of the same press is another payment where the card is to be kept', async () => {
    const input = { requestId: randomUUID(), amountNano: String(UNIT) }
    topUp.parse(await (await post(routes.topUp.POST, input)).json())
    expect((await post(routes.topUp.POST, { ...input, saveCard: true })).status).toBe(409)
  })

  it('takes the place of the one before, which is detached; an old event does not bring that back', async () => {
    const first = await saveCard()
    const oldCard = await cardOf(user)
    await saveCard()
    const now = await cardOf(user)
    expect(now?.methodId).not.toBe(oldCard?.methodId)
    expect(methods().get(oldCard?.methodId ?? '')?.customer).toBeNull()
    expect(await auto.billing.send('checkout.session.completed', first)).toBe(200)
    expect((await cardOf(user))?.methodId).toBe(now?.methodId)
    expect(await auto.billing.send('payment_method.detached', { id: oldCard?.methodId })).toBe(200)
    expect((await cardOf(user))?.methodId).toBe(now?.methodId)
  })

  it('that is older than the saved one, told late, is not kept at Stripe either', async () => {
    const [oldSession, newSession] = [await completeCardPage(), await completeCardPage()]
    const created = Math.floor(Date.now() / 1000)
    await auto.billing.send('checkout.session.completed', newSession, { created })
    const savedCard = await cardOf(user)
    await auto.billing.send('checkout.session.completed', oldSession, { created: created - 60 })
    expect((await cardOf(user))?.methodId).toBe(savedCard?.methodId)
    const other = auto.billing.stripe.cards.setups.get(String(oldSession.setup_intent))?.method ?? ''
    expect(methods().get(other)?.customer).toBeNull()
  })

  it('is removed at once, detached when Stripe answers, and takes automatic top-up with it', async () => {
    await saveCard()
    const card = await cardOf(user)
    expect((await post(routes.auto.POST, AUTO_TOP_UP_INPUT)).status).toBe(200)
    auto.billing.stripe.down = true
    expect((await remove(routes.card.DELETE)).status).toBe(200)
    expect(await view()).toMatchObject({ card: null, state: 'off', offReason: 'card_removed' })
    expect(methods().get(card?.methodId ?? '')?.customer).not.toBeNull()
    auto.billing.stripe.down = false
    expect(await detachCards({ ctx: auto.billing.world.console.ports })).toBe(1)
    expect(methods().get(card?.methodId ?? '')?.customer).toBeNull()
    expect((await remove(routes.card.DELETE)).status).toBe(404)
    const { rowCount } = await auto.billing.world.pool.query('select from saved_card where account_id = $1', [user.accountId])
    expect(rowCount).toBe(0)
    // Holders know what they did, also when Stripe's event comes.
    expect(await auto.billing.send('payment_method.detached', { id: card?.methodId })).toBe(200)
    expect(await auto.notices(user)).toEqual([])
  })

  it.each(['payment_method.detached', 'customer.deleted'])('is gone with %s', async (type) => {
    await saveCard()
    await post(routes.auto.POST, AUTO_TOP_UP_INPUT)
    const card = await cardOf(user)
    const id = type === 'customer.deleted' ? card?.customerId : card?.methodId
    expect(await auto.billing.send(type, { id })).toBe(200)
    expect(await view()).toMatchObject({ card: null, state: 'off', offReason: 'card_removed' })
    expect(await auto.billing.send(type, { id })).toBe(200)
    expect((await auto.notices(user)).map(({ kind, body }) => [kind, body])).toEqual([
      ['auto_top_up.off', { reason: 'card_removed', card: 'Visa •••• 4242', amountNano: null }],
    ])
  })

  it('shows its new face when the bank has renewed it', async () => {
    await saveCard()
    const method = methods().get((await cardOf(user))?.methodId ?? '')
    const renewed = { ...method, card: { brand: 'visa', last4: '1881', exp_month: 1, exp_year: 2033 } }
    expect(await auto.billing.send('payment_method.automatically_updated', renewed)).toBe(200)
    expect((await view()).card).toEqual({ brand: 'visa', last4: '1881', expMonth: 1, expYear: 2033 })
  })

  it('is saved for nobody else', async () => {
    const session = await completeCardPage()
    expect(await auto.billing.send('checkout.session.completed', { ...session, client_reference_id: 'acc_none' })).toBe(500)
    expect(await auto.billing.send('checkout.session.completed', { ...session, customer: 'cus_other' })).toBe(500)
    expect(await auto.billing.send('checkout.session.completed', { ...session, metadata: {} })).toBe(200)
    expect(await cardOf(user)).toBeNull()
    expect(await auto.billing.send('checkout.session.completed', session, { secret: 'whsec_other' })).toBe(400)
    const other = await auto.billing.world.newUser()
    await auto.billing.send('checkout.session.completed', session)
    expect(await cardOf(other)).toBeNull()
  })

  it('needs a new customer where Stripe has lost the old one', async () => {
    await auto.billing.world.pool.query("insert into billing_account (account_id, customer_id) values ($1, 'cus_gone')", [
      user.accountId,
    ])
    const session = await saveCard()
    expect(session.customer).not.toBe('cus_gone')
    expect((await auto.billing.world.console.ports.billingAccounts.find(user.accountId)).customerId).toBe(session.customer)
  })

  it('cannot be saved while Stripe does not answer', async () => {
    auto.billing.stripe.down = true
    expect((await post(routes.card.POST)).status).toBe(503)
  })
})

describe('POST /api/billing/auto-top-up', () => {
  it('needs a card', async () => {
    expect((await post(routes.auto.POST, AUTO_TOP_UP_INPUT)).status).toBe(409)
  })

  it.each([
    ['no consent', { consent: false }, 'consent'],
    ['an amount below the least', { amountNano: '1' }, 'amountNano'],
    ['an amount above the most', { amountNano: String(20_000n * UNIT), ceilingNano: String(90_000n * UNIT) }, 'amountNano'],
    ['too many decimals', { amountNano: '20000000001' }, 'amountNano'],
    ['a ceiling below one payment', { ceilingNano: String(19n * UNIT) }, 'ceilingNano'],
    ['a threshold of zero', { thresholdNano: '0' }, 'thresholdNano'],
    ['a field that is none', { everything: true }, 'everything'],
  ])('refuses %s', async (_, change, field) => {
    await saveCard()
    expect(await fieldOf(await post(routes.auto.POST, { ...AUTO_TOP_UP_INPUT, ...change }))).toEqual([400, field])
    expect((await view()).state).toBe('off')
  })

  it('tells how it stands: on, under way, failed, at the ceiling, paused, off', async () => {
    await auto.billing.completePayment(30, user, true)
    const answer = autoTopUp.parse(
      await (await post(routes.auto.POST, { ...AUTO_TOP_UP_INPUT, ceilingNano: String(20n * UNIT) })).json(),
    )
    expect(answer).toMatchObject({
      state: 'on',
      paidMonthNano: '0',
      freeNano: String(30n * UNIT),
      monthEnds: '2026-12-01T00:00:00.000Z',
    })
    await auto.spend(user, 28)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    auto.billing.stripe.cards.bank = 'pays'
    expect(await view()).toMatchObject({
      state: 'waiting',
      retryAt: '2026-11-20T16:20:00.000Z',
      lastFailure: { amountNano: String(20n * UNIT), reason: 'declined', at: NOW.toISOString() },
    })
    // Once it is set again, it is tried at once.
    await post(routes.auto.POST, { ...AUTO_TOP_UP_INPUT, ceilingNano: String(20n * UNIT) })
    await auto.run()
    expect(await view()).toMatchObject({ state: 'under_way', lastFailure: null, paidMonthNano: String(20n * UNIT) })
    for (const intent of auto.intents(user)) if (intent.status === 'succeeded') await auto.deliverEvent(intent)
    expect((await view()).state).toBe('ceiling')
    await auto.billing.world.pool.query("update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1", [
      user.accountId,
    ])
    expect((await view()).state).toBe('paused')
    await post(routes.auto.POST, { enabled: false })
    expect(await view()).toMatchObject({ state: 'off', offReason: null, settings: { amountNano: String(20n * UNIT) } })
    const list = transactionPage.parse(await (await call(routes.transactions.GET)).json())
    expect(list.rows.map(({ kind, automatic }) => [kind, automatic]).sort()).toEqual([
      ['top_up', false],
      ['top_up', true],
    ])
  })

  it('without keys of Stripe says so', async () => {
    const world = await openConsoleWorld()
    provideConsole(world.console)
    const somebody = await world.newUser()
    const answers = [
      await world.call(routes.auto.POST, { method: 'POST', as: somebody, body: AUTO_TOP_UP_INPUT }),
      await world.call(routes.card.POST, { method: 'POST', as: somebody, body: {} }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    const state = await (await world.call(routes.auto.GET, { as: somebody })).json()
    expect(autoTopUp.parse(state)).toMatchObject({ payable: false, card: null })
    provideConsole(auto.billing.world.console)
    await world.close()
  })
})

describe('spending alerts', () => {
  const ports = () => auto.billing.world.console.ports
  const addAlert = (body: object) => post(routes.alerts.POST, body)
  const list = async () => alertList.parse(await (await call(routes.alerts.GET)).json()).rows
  const amount = (units: number) => String(BigInt(units) * UNIT)
  /** The notices that somebody gets at this moment. */
  const collectNotices = async (): Promise<NoticeEvent[]> => {
    const at = auto.billing.world.clock.at
    await ports().spendingAlerts.raise(at)
    const events: NoticeEvent[] = []
    const notices = { notify: async (event: NoticeEvent) => void events.push(event) }
    await sendNotices({ ctx: { ...ports(), notices } })
    return events.filter(({ accountId, kind }) => accountId === user.accountId && kind === 'spending.alert')
  }
  beforeEach(() => auto.billing.completePayment(100, user))

  it('are told once in each day, by however many processes look', async () => {
    const { id } = addedAlert.parse(await (await addAlert({ period: 'day', amountNano: amount(10) })).json())
    expect(await collectNotices()).toEqual([])
    await auto.spend(user, 9)
    expect(await collectNotices()).toEqual([])
    await auto.spend(user, 1)
    const both = await Promise.all([collectNotices(), collectNotices()])
    expect(both.flat()).toEqual([
      {
        id: `spent_${id}_2026-11-20`,
        accountId: user.accountId,
        at: NOW,
        kind: 'spending.alert',
        alertId: id,
        period: 'day',
        since: '2026-11-20',
        amountNano: 10n * UNIT,
        spentNano: 10n * UNIT,
        keyName: null,
      },
    ])
    await auto.spend(user, 5)
    expect(await collectNotices()).toEqual([])
    auto.billing.world.clock.at = new Date('2026-11-21T00:00:00.000Z')
    expect(await collectNotices()).toEqual([])
    await auto.spend(user, 10)
    expect(await collectNotices()).toMatchObject([{ since: '2026-11-21', spentNano: 10n * UNIT }])
  })

  it('of a month and of a key count what they are about', async () => {
    await auto.billing.world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint, model_allow, address_allow)
       values ($1, $2, 'grp_main', 'ci', $3, 'x', '{}', '{}')`,
      [`key_${user.accountId}`, user.accountId, Buffer.from(randomUUID())],
    )
    await addAlert({ period: 'month', amountNano: amount(10) })
    auto.advanceClock(1)
    await addAlert({ period: 'month', amountNano: amount(10), keyId: `key_${user.accountId}` })
    auto.billing.world.clock.at = new Date('2026-11-01T00:00:00.000Z')
    await auto.spend(user, 6)
    auto.billing.world.clock.at = NOW
    await auto.billing.world.settle(user, { at: NOW, total: 4n * UNIT, keyId: `key_${user.accountId}` })
    expect(await collectNotices()).toMatchObject([{ keyName: null, since: '2026-11-01', spentNano: 10n * UNIT }])
    await auto.billing.world.settle(user, { at: NOW, total: 6n * UNIT, keyId: `key_${user.accountId}` })
    expect(await collectNotices()).toMatchObject([{ keyName: 'ci', spentNano: 10n * UNIT }])
    expect((await list()).map(({ keyName, spentNano }) => [keyName, spentNano])).toEqual([
      [null, amount(16)],
      ['ci', amount(10)],
    ])
  })

  it('that could not be told are told later', async () => {
    await addAlert({ period: 'day', amountNano: amount(1) })
    await auto.spend(user, 2)
    await ports().spendingAlerts.raise(NOW)
    const failingNotices = { notify: () => Promise.reject(new Error('no mail server')) }
    expect(await sendNotices({ ctx: { ...ports(), notices: failingNotices } })).toBe(0)
    expect(await collectNotices()).toEqual([])
    auto.advanceClock(5 * 60_000)
    expect(await collectNotices()).toHaveLength(1)
    auto.advanceClock(10 * 60_000)
    expect(await collectNotices()).toEqual([])
  })

  it('are the account’s own, twenty at most, and none twice', async () => {
    expect((await addAlert({ period: 'day', amountNano: amount(1) })).status).toBe(201)
    expect(await fieldOf(await addAlert({ period: 'day', amountNano: amount(1) }))).toEqual([400, 'amountNano'])
    expect(await fieldOf(await addAlert({ period: 'day', amountNano: '0' }))).toEqual([400, 'amountNano'])
    expect(await fieldOf(await addAlert({ period: 'week', amountNano: amount(1) }))).toEqual([400, 'period'])
    expect(await fieldOf(await addAlert({ period: 'day', amountNano: amount(2), keyId: 'key_other' }))).toEqual([400, 'keyId'])
    for (let more = 2; more <= 20; more++) expect((await addAlert({ period: 'day', amountNano: amount(more) })).status).toBe(201)
    expect((await addAlert({ period: 'day', amountNano: amount(21) })).status).toBe(409)
    const [first] = await list()
    const mine = user
    user = await auto.billing.world.newUser()
    expect(await list()).toEqual([])
    expect((await remove(routes.alert.DELETE, { id: first?.id ?? '' })).status).toBe(404)
    user = mine
    expect((await remove(routes.alert.DELETE, { id: first?.id ?? '' })).status).toBe(200)
    expect(await list()).toHaveLength(19)
  })
})
