import { type FakeIntent, type FakeMethod, intentObject, methodObject } from './stripe-objects.ts'
import { checkCustomerForm, checkIntentForm, metadataOf, StripeApiError } from './stripe-params.ts'

/** How a bank responds to a payment. */
export type Bank = 'pays' | 'declines' | 'has_too_little' | 'has_expired' | 'wants_its_holder' | 'takes_its_time'

/** Customers, cards and payments without their payers, as the fake stores them. */
export interface FakeCards {
  readonly customers: Map<string, { email: string; metadata: Record<string, string> }>
  readonly methods: Map<string, FakeMethod>
  readonly intents: Map<string, FakeIntent>
  readonly setups: Map<string, { customer: string; method: string; metadata: Record<string, string> }>
  bank: Bank
  /** Attaches a new card to a customer, as a page does. */
  attach(customer: string, last4?: string): FakeMethod
  /** Answers a request to one of these addresses. Null if the request is for another one. */
  answer(request: { method: string; path: string; query: URLSearchParams; text: string }): object | null
}

const DECLINES: Partial<Record<Bank, { code: string; decline_code?: string }>> = {
  declines: { code: 'card_declined', decline_code: 'generic_decline' },
  has_too_little: { code: 'card_declined', decline_code: 'insufficient_funds' },
  has_expired: { code: 'expired_card', decline_code: 'expired_card' },
  wants_its_holder: { code: 'authentication_required', decline_code: 'authentication_required' },
}

const missing = (what: string, param: string) => new StripeApiError(404, `No such ${what}`, { code: 'resource_missing', param })

export function createFakeCards(): FakeCards {
  const cards: FakeCards = {
    customers: new Map(),
    methods: new Map(),
    intents: new Map(),
    setups: new Map(),
    bank: 'pays',
    attach(customer, last4) {
      const method = methodObject(`pm_${cards.methods.size + 1}${Math.random().toString(36).slice(2, 8)}`, customer, last4)
      cards.methods.set(method.id, method)
      return method
    },
    answer({ method, path, query, text }) {
      const form = new URLSearchParams(text)
      if (method === 'POST' && path === '/v1/customers') return createCustomer(checkCustomerForm(form))
      if (method === 'POST' && path === '/v1/payment_intents') return pay(checkIntentForm(form))
      if (method === 'GET' && path === '/v1/payment_intents') return list(query.get('customer') ?? '')
      const customer = /^\/v1\/customers\/(\w+)$/.exec(path)?.[1]
      if (method === 'DELETE' && customer) return deleteCustomer(customer, form)
      const [, kind = '', id = '', verb] = /^\/v1\/(payment_methods|setup_intents)\/(\w+)(?:\/(detach))?$/.exec(path) ?? []
      if (kind === 'setup_intents' && method === 'GET') return setupOf(id)
      if (kind === 'payment_methods' && (method === 'GET' || verb === 'detach')) return methodOf(id, verb === 'detach')
      return null
    },
  }

  function createCustomer(form: Map<string, string>): object {
    const id = `cus_${cards.customers.size + 1}${Math.random().toString(36).slice(2, 8)}`
    cards.customers.set(id, { email: form.get('email') ?? '', metadata: metadataOf(form, 'metadata') })
    return { id, object: 'customer', email: form.get('email') ?? null, metadata: metadataOf(form, 'metadata') }
  }

  /** The customer's cards are detached, too. */
  function deleteCustomer(id: string, form: URLSearchParams): object {
    for (const name of form.keys()) throw new StripeApiError(400, `Received unknown parameter: ${name}`)
    if (!cards.customers.delete(id)) throw missing('customer', 'id')
    for (const method of cards.methods.values()) if (method.customer === id) method.customer = null
    return { id, object: 'customer', deleted: true }
  }

  function methodOf(id: string, detach: boolean): FakeMethod {
    const method = cards.methods.get(id)
    if (!method) throw missing('payment_method', 'payment_method')
    if (detach && method.customer === null)
      throw new StripeApiError(400, 'The payment method you provided is not attached to a customer so detachment is impossible.')
    if (detach) method.customer = null
    return method
  }

  function setupOf(id: string): object {
    const setup = cards.setups.get(id)
    if (!setup) throw missing('setup_intent', 'intent')
    const { customer, method, metadata } = setup
    return {
      id,
      object: 'setup_intent',
      status: 'succeeded',
      customer,
      metadata,
      payment_method: cards.methods.get(method) ?? null,
    }
  }

  const list = (customer: string): object => ({
    object: 'list',
    url: '/v1/payment_intents',
    has_more: false,
    data: [...cards.intents.values()].filter((intent) => intent.customer === customer).reverse(),
  })

  function pay(form: Map<string, string>): FakeIntent {
    const [customer = '', method = ''] = [form.get('customer'), form.get('payment_method')]
    const card = cards.methods.get(method)
    if (!card) throw missing('PaymentMethod', 'payment_method')
    if (card.customer !== customer)
      throw new StripeApiError(400, 'The PaymentMethod is not attached to this customer.', {
        code: 'payment_method_unexpected_state',
      })
    const decline = DECLINES[cards.bank]
    const intent = intentObject(`pi_auto_${cards.intents.size + 1}`, Number(form.get('amount')), metadataOf(form, 'metadata'), {
      currency: form.get('currency') ?? '',
      customer,
      payment_method: method,
      ...(cards.bank === 'takes_its_time' ? { status: 'processing', amount_received: 0 } : {}),
    })
    cards.intents.set(intent.id, intent)
    if (!decline) return intent
    const error = { type: 'card_error', message: 'Your card was declined.', ...decline }
    Object.assign(intent, {
      status: 'requires_payment_method',
      amount_received: 0,
      payment_method: null,
      last_payment_error: error,
    })
    throw new StripeApiError(402, error.message, { ...error, payment_intent: intent })
  }
  return cards
}
