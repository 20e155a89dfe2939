import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { billing as billingShape, payment, redeemResult, topUp, transactionPage } from '#lib/contracts/billing'
import { CODE_RANDOM_BYTES, formatCode, normalizeCode } from '#lib/domain/redemption-code'
import { createCodeHashes } from '#lib/services/billing/code-hash'
import { startTopUp } from '#lib/services/billing/start-top-up'
import type { SignedInUser } from '#lib/services/ports'
import { STRIPE_KEY } from '../fakes/stripe-events.ts'
import {
  chargeObject,
  disputeObject,
  intentObject,
  invoiceObject,
  methodObject,
  refundObject,
  setupIntentObject,
} from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, openLedger } from '../support/ledger.ts'
import { REFERENCE, referenceRequired } from '../support/reference.ts'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'
import { openConsoleWorld, PEPPER, provideConsole } from './console-world.ts'

const routes = {
  billing: await import('#app/api/billing/route'),
  topUp: await import('#app/api/billing/top-up/route'),
  payment: await import('#app/api/billing/payments/[id]/route'),
  redeem: await import('#app/api/billing/redeem/route'),
  lowBalance: await import('#app/api/billing/low-balance/route'),
  transactions: await import('#app/api/billing/transactions/route'),
  webhook: await import('#app/api/stripe/webhook/route'),
}

let billing: BillingWorld
let user: SignedInUser
beforeAll(async () => {
  billing = await openBillingWorld()
  provideConsole(billing.world.console)
})
afterAll(() => billing.close())
beforeEach(async () => {
  user = await billing.world.newUser()
})
afterEach(() => expectBalancedBooks(billing.world.pool))

const post = (route: { POST: typeof routes.topUp.POST }, body: unknown, as = user) =>
  billing.world.call(route.POST, { method: 'POST', as, body })
const ask = (amountNano: unknown, requestId: string = randomUUID()) => post(routes.topUp, { requestId, amountNano })
const payments = async () =>
  (await billing.world.pool.query('select * from payment where account_id = $1', [user.accountId])).rows

describe('POST /api/billing/top-up', () => {
  it('writes the payment down and answers where to pay, with the id in the key at Stripe', async () => {
    const response = await ask(String(25n * UNIT))
    expect(response.status).toBe(201)
    const { paymentId, url } = topUp.parse(await response.json())
    expect(url).toContain(`${billing.stripe.url}/pay/cs_`)
    const [row] = await payments()
    expect(row).toMatchObject({
      id: paymentId,
      state: 'open',
      amount_nano: String(25n * UNIT),
      amount_minor: '2500',
      currency: 'usd',
    })
    const sessionRequest = billing.stripe.asked.at(-1)
    expect(sessionRequest?.key).toMatch(new RegExp(`^${paymentId}-[0-9a-f]{16}$`))
    expect(Object.fromEntries(sessionRequest?.form ?? [])).toMatchObject({
      client_reference_id: user.accountId,
      customer_email: user.email,
      'line_items[0][price_data][unit_amount]': '2500',
      'metadata[tollgate_payment]': paymentId,
      'invoice_creation[enabled]': 'true',
      success_url: `http://localhost:3000/billing?payment=${paymentId}`,
    })
  })

  it('is the same payment and page when it is asked twice', async () => {
    const requestId = randomUUID()
    const answers = await Promise.all([ask(String(UNIT), requestId), ask(String(UNIT), requestId)])
    const [firstTopUp, secondTopUp] = await Promise.all(answers.map(async (answer) => topUp.parse(await answer.json())))
    expect(secondTopUp).toEqual(firstTopUp)
    expect(await payments()).toHaveLength(1)
    expect((await ask(String(2n * UNIT), requestId)).status).toBe(409)
  })

  it.each([
    ['below the least', '999999999'],
    ['above the most', String(10_001n * UNIT)],
    ['of a fraction of a cent', '1005000000'],
    ['zero', '0'],
    ['negative', '-5000000000'],
    ['a number', 5_000_000_000],
    ['no amount', 'ten'],
    ['beyond every bound', '9'.repeat(19)],
  ])('refuses an amount that is %s', async (_, amount) => {
    const response = await ask(amount)
    expect([response.status, (await response.json()).error.field]).toEqual([400, 'amountNano'])
    expect(await payments()).toEqual([])
  })

  it('refuses more than its account can be credited in its life, before there is anything to pay', async () => {
    await billing.fillCredit(user, 5)
    const requestsBefore = billing.stripe.asked.length
    const response = await ask(String(6n * UNIT))
    expect([response.status, (await response.json()).error.field]).toEqual([400, 'amountNano'])
    expect([await payments(), billing.stripe.asked.length]).toEqual([[], requestsBefore])
    await billing.completePayment(5, user)
  })

  it('says what to do where an account was credited so much meanwhile that what is paid does not fit', async () => {
    const { session, paymentId } = await billing.startPayment(6, user)
    await billing.fillCredit(user, 5)
    expect(await billing.send('checkout.session.completed', billing.stripe.pay(session.id))).toBe(500)
    expect(billing.world.errors.at(-1)).toMatchObject({ why: expect.stringContaining(`${paymentId} is more than its account`) })
    expect((await payments())[0]).toMatchObject({ state: 'open', intent_id: null })
  })

  it('says that Stripe cannot be reached, and the same press works when it can', async () => {
    const requestId = randomUUID()
    billing.stripe.down = true
    const response = await ask(String(UNIT), requestId)
    billing.stripe.down = false
    expect([response.status, (await response.json()).error.code]).toEqual([503, 'unavailable'])
    expect((await ask(String(UNIT), requestId)).status).toBe(201)
    expect(await payments()).toHaveLength(1)
  })

  it('tells the holder that Stripe does not accept an amount as small as this, and the log which code that is', async () => {
    const { topUpMin } = billing.world.settings
    billing.world.settings.topUpMin = '0.1'
    const response = await ask(String(UNIT / 10n))
    billing.world.settings.topUpMin = topUpMin
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      {
        code: 'invalid_input',
        field: 'amountNano',
        message: 'This amount is below what Stripe accepts. Enter more.',
      },
    ])
    expect(billing.world.errors.at(-1)).toMatchObject({ type: 'StripeInvalidRequestError', code: 'amount_too_small' })
  })

  it('tells the holder to ask the operator where Stripe refuses the key, and the log which error that is', async () => {
    billing.stripe.revoked = true
    const response = await ask(String(UNIT))
    billing.stripe.revoked = false
    const { error } = await response.json()
    expect([response.status, error.code, error.message]).toEqual([
      503,
      'unavailable',
      'Payments are not available, because Stripe refuses them. Nothing was paid. Tell the operator of this gateway.',
    ])
    const logged = billing.world.errors.at(-1)
    expect(logged).toMatchObject({ type: 'StripeAuthenticationError', code: 'api_key_expired', statusCode: 401 })
    expect(JSON.stringify(logged)).not.toContain('sk_test')
  })

  it('uses the customer of the first payment again, and a new one where Stripe has lost it', async () => {
    await billing.completePayment(2, user)
    await billing.startPayment(2, user)
    expect(billing.stripe.asked.at(-1)?.form.get('customer')).toMatch(/^cus_cs_test/)
    await billing.world.pool.query("update billing_account set customer_id = 'cus_gone' where account_id = $1", [user.accountId])
    await billing.startPayment(2, user)
    expect(billing.stripe.asked.at(-1)?.form.get('customer_email')).toBe(user.email)
  })

  describe('hands out one page, the one that is credited', () => {
    const setCustomer = (customerId: string) =>
      billing.world.console.ports.billingAccounts.setCustomer(user.accountId, customerId)
    const requestTopUp = async (requestId: string, saveCard = true) => {
      const response = await post(routes.topUp, { requestId, amountNano: String(10n * UNIT), saveCard })
      return topUp.parse(await response.json()).url
    }
    /** Pays on one page. Every other page of the payment then expires. */
    const paySession = async (url: string) => {
      const { stripe } = billing
      const paidSession = stripe.pay(url.split('/').at(-1) ?? '')
      expect(await billing.send('checkout.session.completed', paidSession)).toBe(200)
      for (const other of stripe.sessions.values())
        if (other.metadata.tollgate_payment === paidSession.metadata.tollgate_payment && other !== paidSession)
          expect(await billing.send('checkout.session.expired', { ...other, status: 'expired', url: null })).toBe(200)
      expect((await balanceOf(billing.world.pool, user.accountId)).balance).toBe(10n * UNIT)
      expect((await payments())[0]).toMatchObject({ state: 'paid', session_id: paidSession.id })
    }

    it('where its customer was gone at Stripe, however often it is pressed', async () => {
      await setCustomer(`cus_gone_${randomUUID().slice(0, 8)}`)
      const requestId = randomUUID()
      const first = await requestTopUp(requestId)
      expect(await requestTopUp(requestId)).toBe(first)
      await paySession(first)
    })

    it('where it is pressed twice at once, for a customer that is another one meanwhile', async () => {
      const ports = billing.world.as(user)
      const input = { requestId: randomUUID(), amountNano: String(10n * UNIT), saveCard: true }
      let turn = 0
      const { promise: bothAsked, resolve: goOn } = Promise.withResolvers<void>()
      const billingAccounts = {
        ...ports.billingAccounts,
        // Neither goes on before both are here. Otherwise the second might find the page of the first.
        find: async () => {
          const customerId = `cus_of_press_${++turn}`
          if (turn === 2) goOn()
          await bothAsked
          return { customerId, lowBalanceNano: null }
        },
      }
      const ctx = { ...ports, billingAccounts }
      const [firstTopUp, secondTopUp] = await Promise.all([startTopUp({ ctx, input }), startTopUp({ ctx, input })])
      expect([turn, secondTopUp]).toEqual([2, firstTopUp])
      await paySession(firstTopUp.url)
    })

    it('where the answer that told of its page was lost, and its customer is another one by then', async () => {
      const ports = billing.world.as(user)
      const input = { requestId: randomUUID(), amountNano: String(10n * UNIT), saveCard: true }
      const failingPayments = { ...ports.payments, recordSession: () => Promise.reject(new Error('the database is down')) }
      await expect(startTopUp({ ctx: { ...ports, payments: failingPayments }, input })).rejects.toThrow()
      await setCustomer('cus_another')
      await paySession((await startTopUp({ ctx: ports, input })).url)
    })

    it('and says so where that page is over', async () => {
      const requestId = randomUUID()
      const sessionId = (await requestTopUp(requestId)).split('/').at(-1) ?? ''
      Object.assign(billing.stripe.sessions.get(sessionId) ?? {}, { status: 'expired', url: null })
      expect((await post(routes.topUp, { requestId, amountNano: String(10n * UNIT), saveCard: true })).status).toBe(409)
      billing.stripe.sessions.delete(sessionId)
      expect((await post(routes.topUp, { requestId, amountNano: String(10n * UNIT), saveCard: true })).status).toBe(409)
    })
  })

  it('is stopped when it is asked without end', async () => {
    const answers = []
    for (let turn = 0; turn < 31; turn++) answers.push((await ask(String(UNIT))).status)
    expect(answers.filter((status) => status === 429)).toHaveLength(1)
  })

  it("is another account's to see for nobody", async () => {
    const { paymentId } = await billing.startPayment(3, user)
    const readPayment = (as: SignedInUser) => billing.world.call(routes.payment.GET, { params: { id: paymentId }, as })
    expect(payment.parse(await (await readPayment(user)).json())).toMatchObject({ id: paymentId, state: 'open' })
    expect((await readPayment(await billing.world.newUser())).status).toBe(404)
  })
})

describe('without keys of Stripe', () => {
  it('nothing can be paid, the page is told, and the webhook refuses', async () => {
    const world = await openConsoleWorld()
    provideConsole(world.console)
    const somebody = await world.newUser()
    const status = billingShape.parse(await (await world.call(routes.billing.GET, { as: somebody })).json())
    expect(status).toMatchObject({ payable: false, mail: false })
    const body = { requestId: randomUUID(), amountNano: String(UNIT) }
    expect((await world.call(routes.topUp.POST, { method: 'POST', as: somebody, body })).status).toBe(503)
    expect(
      (await routes.webhook.POST(new Request('http://localhost/api/stripe/webhook', { method: 'POST', body: '{}' }))).status,
    ).toBe(503)
    provideConsole(billing.world.console)
    await world.close()
  })
})

describe('money that is lent to a gateway', () => {
  it('is asked back before a refund makes a debt of it', async () => {
    const { world } = billing
    const { session } = await billing.completePayment(10, user)
    const ledger = await openLedger(world.pool, world.url)
    const hold = await ledger.wallet.hold({ accountId: user.accountId, keyId: 'key_test', budgets: [], amount: UNIT })
    expect('refused' in hold).toBe(false)
    expect((await balanceOf(world.pool, user.accountId)).leased).toBeGreaterThan(UNIT)
    // What the gateway hears through NOTIFY.
    const listener = await world.pool.connect()
    await listener.query('listen tollgate_recall')
    listener.on('notification', ({ payload }) => ledger.wallet.recall(payload ?? ''))
    const refund = refundObject('re_lent', String(session.payment_intent), 900)
    expect(await billing.send('refund.created', refund)).toBe(200)
    // A request in flight keeps its hold.
    expect(await balanceOf(world.pool, user.accountId)).toEqual({ balance: UNIT, leased: UNIT, owed: 0n })
    expect(await world.console.ports.accounts.suspended(user.accountId)).toBe(false)
    listener.release(true)
    await ledger.close()
  })

  it('pays a debt when it comes back later, however many accounts there are that owe nothing', async () => {
    const { world } = billing
    // As many accounts as one round looks at, with ids that come first.
    await world.pool.query(
      `with rich as (insert into account (id, name) select 'acc_00' || n, 'rich' from generate_series(1, 100) n returning id),
            granted as (insert into entry (id, account_id, kind, amount_nano, reason, actor)
                        select 'ent_' || id, id, 'grant', 1, 'test', 'test' from rich)
       insert into purse (id, kind, account_id, credit) select id, 'account', id, 1 from rich`,
    )
    const { session } = await billing.completePayment(10, user)
    // Held by a process that does not answer.
    await world.pool.query("insert into process (id, beat_at, started_at, pid, host) values ('proc_gone', now(), now(), 1, 'h')")
    await world.pool.query(
      "insert into lease (id, owner, purse_id, amount, seq, granted) values ('l', 'proc_gone', $1, $2, 1, $2)",
      [user.accountId, String(3n * UNIT)],
    )
    await world.pool.query('update purse set leased = $2 where id = $1', [user.accountId, String(3n * UNIT)])
    await billing.send('refund.created', refundObject('re_later', String(session.payment_intent), 900))
    expect(await balanceOf(world.pool, user.accountId)).toEqual({ balance: 3n * UNIT, leased: 3n * UNIT, owed: 2n * UNIT })
    expect(await world.console.ports.billingAccounts.collectDebts(new Date())).toBe(0)
    await world.pool.query("select release_process('proc_gone')")
    expect(await world.console.ports.billingAccounts.collectDebts(new Date())).toBe(1)
    expect(await balanceOf(world.pool, user.accountId)).toEqual({ balance: UNIT, leased: 0n, owed: 0n })
    expect(await world.console.ports.accounts.suspended(user.accountId)).toBe(false)
  })
})

describe('redemption codes', () => {
  const createCode = async (amountNano: bigint, expiresAt: Date | null = null) => {
    const { code, hmac: codeHmac } = createCodeHashes(PEPPER, randomBytes).create()
    const at = billing.world.clock.at
    const actor = { userId: 'test', email: 'test' }
    const mintFields = { mintToken: randomUUID(), mintPlace: 0 }
    await billing.world.console.ports.codes.add(
      [{ id: `code_${randomUUID()}`, codeHmac, hint: 'x', amountNano, note: '', at, expiresAt, ...mintFields }],
      actor,
    )
    return code
  }
  const balance = async (of = user) => (await balanceOf(billing.world.pool, of.accountId)).balance

  it('credit once, however they are typed, and are kept only as a hash', async () => {
    const code = await createCode(7n * UNIT)
    const stored = JSON.stringify((await billing.world.pool.query('select * from redemption_code')).rows)
    expect(stored).not.toContain(normalizeCode(code))
    const response = await post(routes.redeem, { code: ` ${code.toLowerCase().replaceAll('-', ' ')}` })
    expect(redeemResult.parse(await response.json())).toEqual({ amountNano: String(7n * UNIT), paidOwedNano: '0' })
    const repeated = await post(routes.redeem, { code })
    expect(repeated.status).toBe(400)
    expect((await repeated.json()).error).toMatchObject({ field: 'code', message: expect.stringContaining('already') })
    expect(await balance()).toBe(7n * UNIT)
  })

  it('credit one of two who come at once', async () => {
    const code = await createCode(2n * UNIT)
    const other = await billing.world.newUser()
    const answers = await Promise.all([post(routes.redeem, { code }), post(routes.redeem, { code }, other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await balance()) + (await balance(other))).toBe(2n * UNIT)
  })

  it('that are over, wrong or no codes at all are refused in the same words', async () => {
    const expiredCode = await createCode(UNIT, billing.world.clock.at)
    const codes = [expiredCode, formatCode(randomBytes(CODE_RANDOM_BYTES)), 'no code']
    const answers = await Promise.all(codes.map(async (code) => (await post(routes.redeem, { code })).json()))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0].error).toMatchObject({ code: 'invalid_input', field: 'code' })
    expect(await balance()).toBe(0n)
  })

  it('cannot be guessed without end', async () => {
    const answers = []
    for (let turn = 0; turn < 11; turn++) answers.push((await post(routes.redeem, { code: 'guess' })).status)
    expect(answers.at(-1)).toBe(429)
  })
})

describe('GET /api/billing/transactions', () => {
  const page = async (query: string) =>
    transactionPage.parse(await (await billing.world.call(routes.transactions.GET, { path: `/api/x?${query}`, as: user })).json())

  it('shows everything that changed the credit, with the papers of a payment', async () => {
    const { session } = await billing.completePayment(10, user)
    await billing.send('invoice.paid', invoiceObject('in_7', session.metadata))
    await billing.send('refund.created', refundObject('re_list', String(session.payment_intent), 400))
    await billing.send('charge.dispute.created', disputeObject('dp_list', String(session.payment_intent), 700))
    const { rows, next } = await page('limit=10')
    expect(next).toBeNull()
    const summaries = rows.map(({ kind, amountNano, owedNano, invoiceUrl }) => [kind, amountNano, owedNano, invoiceUrl !== null])
    expect(summaries.sort()).toEqual(
      [
        ['top_up', String(10n * UNIT), '0', true],
        ['refund', String(-4n * UNIT), '0', false],
        ['dispute', String(-7n * UNIT), String(UNIT), false],
      ].sort(),
    )
    const other = await billing.world.newUser()
    expect((await billing.world.call(routes.transactions.GET, { as: other }).then((answer) => answer.json())).rows).toEqual([])
  })

  it('is read page by page, each entry once, though many are of one moment', async () => {
    await billing.world.pool.query(
      `insert into entry (id, account_id, kind, amount_nano, reason, actor, created_at)
       select 'ent_' || $1 || '_' || i, $1, 'grant', 1, 'r', 'a', '2026-01-01'::timestamptz + (i / 5) * interval '1 ms'
       from generate_series(1, 23) i`,
      [user.accountId],
    )
    await billing.world.pool.query('update purse set credit = 23 where id = $1', [user.accountId])
    const seenIds: string[] = []
    for (let beforeParam = ''; ; ) {
      const { rows, next } = await page(`limit=4${beforeParam}`)
      seenIds.push(...rows.map(({ id }) => id))
      if (next === null) break
      beforeParam = `&before=${encodeURIComponent(next)}`
    }
    expect(new Set(seenIds).size).toBe(23)
    expect(seenIds).toHaveLength(23)
  })
})

describe('low balances', () => {
  it('are told once, and again after the balance was above', async () => {
    const { world } = billing
    const { billingAccounts } = world.console.ports
    expect((await post(routes.lowBalance, { amountNano: String(5n * UNIT) })).status).toBe(200)
    let at = Date.now()
    const raiseNotices = () => billingAccounts.markLowBalances(new Date(++at))
    const listNotices = async () =>
      (
        await world.pool.query("select body from notice where account_id = $1 and kind = 'balance.low' order by created_at", [
          user.accountId,
        ])
      ).rows.map(({ body }) => body)
    await Promise.all([raiseNotices(), raiseNotices()])
    const first = { balanceNano: '0', lowBalanceNano: String(5n * UNIT) }
    expect(await listNotices()).toEqual([first])
    await billing.completePayment(10, user)
    await raiseNotices()
    expect(await listNotices()).toEqual([first])
    await world.settle(user, { at: world.clock.at, total: 6n * UNIT })
    await raiseNotices()
    expect(await listNotices()).toEqual([first, { ...first, balanceNano: String(4n * UNIT) }])
    expect((await post(routes.lowBalance, { amountNano: null })).status).toBe(200)
    await raiseNotices()
    expect(await listNotices()).toHaveLength(2)
  })
})

/** Stripe's own fixtures, for the fields of its objects. */
const FIXTURES = join(REFERENCE, 'stripe/fixtures3.head.json')

describe.skipIf(!existsSync(FIXTURES) && !referenceRequired)('the stand-in', () => {
  it('makes objects of fields that those of Stripe have', async () => {
    const { resources } = JSON.parse(await readFile(FIXTURES, 'utf8')) as { resources: Record<string, object> }
    const { session } = await billing.startPayment(1, user)
    const fakeObjects: [string, object][] = [
      ['checkout.session', session],
      ['refund', refundObject('re', 'pi', 1)],
      ['dispute', disputeObject('dp', 'pi', 1)],
      ['charge', chargeObject('pi', 1, {})],
      ['invoice', invoiceObject('in', {})],
      ['payment_intent', intentObject('pi', 1, {})],
      ['payment_method', methodObject('pm', 'cus')],
      ['setup_intent', setupIntentObject('seti', 'cus', 'pm', {})],
    ]
    for (const [name, object] of fakeObjects) {
      const knownFields = new Set([...Object.keys(resources[name] ?? {}), ...(name === 'checkout.session' ? ['url'] : [])])
      expect(
        Object.keys(object).filter((field) => !knownFields.has(field)),
        name,
      ).toEqual([])
    }
  })

  it('refuses what Stripe would refuse', async () => {
    const send = async (form: Record<string, string>, key = STRIPE_KEY, path = 'checkout/sessions') => {
      const answer = await fetch(`${billing.stripe.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'stripe-version': '2026-10-28.endive' },
        body: new URLSearchParams(form),
      })
      return answer.status
    }
    expect(await send({}, 'sk_wrong')).toBe(401)
    expect(await send({ mode: 'payment' })).toBe(400)
    const validForm = {
      mode: 'payment',
      success_url: 'https://a.example/',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '100',
    }
    expect(await send(validForm)).toBe(200)
    expect(await send({ ...validForm, invented: '1' })).toBe(400)
    const page = { mode: 'setup', success_url: 'https://a.example/' }
    expect(await send(page)).toBe(400)
    expect(await send({ ...page, 'allowed_payment_method_types[0]': 'card' })).toBe(200)
    const card = billing.stripe.cards.attach('cus_1').id
    const offSessionForm = {
      amount: '100',
      currency: 'usd',
      customer: 'cus_1',
      payment_method: card,
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
      confirm: 'true',
      off_session: 'true',
    }
    const pay = (form: Record<string, string>) => send(form, STRIPE_KEY, 'payment_intents')
    expect(await pay(offSessionForm)).toBe(200)
    for (const invalidFields of [
      { amount: '10' },
      { off_session: 'false' },
      { customer: 'cus_2' },
      { return_url: 'https://a.example/' },
    ])
      expect(await pay({ ...offSessionForm, ...invalidFields })).toBe(400)
    expect(await pay({ ...offSessionForm, payment_method: 'pm_none' })).toBe(404)
    const { customer: _, ...nobody } = offSessionForm
    expect(await pay(nobody)).toBe(400)
  })
})
