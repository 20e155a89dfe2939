import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeInput } from '#lib/contracts/account'
import { closeAccount } from '#lib/services/account/close-account'
import { getClosing } from '#lib/services/account/get-closing'
import { deleteCustomers, detachCards } from '#lib/services/billing/clean-up-stripe'
import type { SignedInUser } from '#lib/services/ports'
import { chargeObject, invoiceObject } from '../fakes/stripe-objects.ts'
import { lockRows } from '../support/locks.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { PASSWORD } from './console-world.ts'

let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())

const sql = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  (await auto.billing.world.pool.query(text, values)).rows

async function close(user: SignedInUser): Promise<void> {
  const ctx = auto.billing.world.as(user)
  const { balanceNano } = await getClosing({ ctx })
  const forfeitNano = balanceNano === '0' ? null : balanceNano
  await closeAccount({ ctx, input: closeInput.parse({ email: user.email, password: PASSWORD, forfeitNano }) })
}

describe('who somebody was to Stripe', () => {
  const customers = () => auto.billing.stripe.cards.customers
  const runCustomerDeletion = () => deleteCustomers({ ctx: auto.billing.world.console.ports })
  const findPendingDeletions = (id: string) => sql('select 1 from left_customer where customer_id = $1', [id])

  it('is deleted there after the account was closed, when Stripe answers, and once', async () => {
    const { stripe } = auto.billing
    const user = await auto.createPayer(3)
    const [id = ''] = [...customers()].find(([, { email }]) => email === user.email) ?? []
    expect(customers().get(id)?.email).toBe(user.email)
    await close(user)
    expect(await findPendingDeletions(id)).toHaveLength(1)
    stripe.down = true
    expect(await runCustomerDeletion()).toBe(0)
    expect(customers().has(id)).toBe(true)
    stripe.down = false
    await runCustomerDeletion()
    expect(customers().has(id)).toBe(false)
    expect(await findPendingDeletions(id)).toEqual([])
    const deletionCount = stripe.asked.filter(({ method, path }) => method === 'DELETE' && path.endsWith(id)).length
    await runCustomerDeletion()
    expect(stripe.asked.filter(({ method, path }) => method === 'DELETE' && path.endsWith(id))).toHaveLength(deletionCount)
    // Its card was deleted with the customer. Detaching that card is no error.
    await detachCards({ ctx: auto.billing.world.console.ports })
    expect(await sql('select 1 from saved_card where account_id = $1', [user.accountId])).toEqual([])
    expect(await auto.billing.send('customer.deleted', { id })).toBe(200)
  })

  it('is deleted as well where it was made for a page that nobody paid at', async () => {
    const { user } = await auto.billing.startPayment(4, undefined, true)
    const findCustomers = () => [...customers()].filter(([, { metadata }]) => metadata.tollgate_account === user.accountId)
    expect(findCustomers()).toHaveLength(1)
    const [[id] = ['']] = findCustomers()
    expect(await sql('select customer_id from billing_account where account_id = $1', [user.accountId])).toEqual([
      { customer_id: id },
    ])
    // The next page is for the same customer.
    await auto.billing.startPayment(5, user, true)
    expect(findCustomers()).toHaveLength(1)
    await close(user)
    expect(await findPendingDeletions(id)).toHaveLength(1)
    await runCustomerDeletion()
    expect(customers().has(id)).toBe(false)
  })

  it('is not written down of an account that was closed while its page was made', async () => {
    const user = await auto.createPayer(3)
    await close(user)
    await auto.billing.world.console.ports.billingAccounts.setCustomer(user.accountId, 'cus_late')
    expect(await sql('select 1 from billing_account where account_id = $1', [user.accountId])).toEqual([])
    expect(await findPendingDeletions('cus_late')).toHaveLength(1)
    await runCustomerDeletion()
  })

  it('is not written down either where closing has erased it and has not ended yet', async () => {
    const { world } = auto.billing
    const user = await world.newUser()
    await sql(`insert into saved_view (id, user_id, name, query, created_at) values ($1, $1, 'Mine', '', now())`, [user.userId])
    // The view is erased after the Stripe customer.
    const lock = await lockRows(world.url, 'saved_view where user_id = $1', [user.userId])
    const closing = close(user)
    let lateWrite: Promise<void> | undefined
    try {
      await lock.waitUntilBlockedCount(1)
      lateWrite = world.console.ports.billingAccounts.setCustomer(user.accountId, 'cus_meanwhile')
      await lock.waitUntilBlockedCount(2)
    } finally {
      await lock.release()
      await Promise.all([closing, lateWrite])
    }
    expect(await sql('select 1 from billing_account where account_id = $1', [user.accountId])).toEqual([])
    expect(await findPendingDeletions('cus_meanwhile')).toHaveLength(1)
    await runCustomerDeletion()
  })

  it('is deleted as well where it became somebody by a payment that came afterwards', async () => {
    const { user, session } = await auto.billing.startPayment(4)
    await close(user)
    const paidSession = auto.billing.stripe.pay(session.id)
    expect(await auto.billing.send('checkout.session.completed', paidSession)).toBe(200)
    const id = String(paidSession.customer)
    expect(await findPendingDeletions(id)).toHaveLength(1)
    // Stripe has no such customer, so nothing is left to do.
    await runCustomerDeletion()
    expect(await findPendingDeletions(id)).toEqual([])
  })
})

it('papers of a payment that come after its account was closed are not kept: they name who paid', async () => {
  const { user, paymentId, session } = await auto.billing.completePayment(4)
  await close(user)
  const plan = auto.billing.stripe.plans.get(session.id)
  const charge = chargeObject(`pi_${paymentId}`, 400, plan?.intentMetadata ?? {})
  expect(await auto.billing.send('charge.updated', charge)).toBe(200)
  expect(await auto.billing.send('invoice.paid', invoiceObject('in_late', plan?.invoiceMetadata ?? {}))).toBe(200)
  expect(await sql('select receipt_url, invoice_url from payment where id = $1', [paymentId])).toEqual([
    { receipt_url: null, invoice_url: null },
  ])
})
