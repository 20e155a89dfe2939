/** An error as Stripe returns it. */
export class StripeApiError extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, message: string, more: object = {}) {
    super(message)
    this.status = status
    this.body = { error: { type: 'invalid_request_error', message, ...more } }
  }
}

/** The part of Stripe's parameters for POST /v1/checkout/sessions that is supported here, by form field names. */
const KNOWN = [
  /^(mode|client_reference_id|customer|customer_email|success_url|cancel_url)$/,
  /^allowed_payment_method_types\[\d\]$/,
  /^metadata\[\w{1,40}\]$/,
]
const KNOWN_SETUP = [...KNOWN, /^setup_intent_data\[metadata\]\[\w{1,40}\]$/]
const KNOWN_PAYMENT = [
  ...KNOWN,
  /^payment_intent_data\[metadata\]\[\w{1,40}\]$/,
  /^payment_intent_data\[setup_future_usage\]$/,
  /^invoice_creation\[enabled\]$/,
  /^invoice_creation\[invoice_data\]\[metadata\]\[\w{1,40}\]$/,
  /^adaptive_pricing\[enabled\]$/,
  /^line_items\[\d+\]\[quantity\]$/,
  /^line_items\[\d+\]\[price_data\]\[(currency|unit_amount)\]$/,
  /^line_items\[\d+\]\[price_data\]\[product_data\]\[name\]$/,
]
const ZERO_DECIMALS = new Set(['jpy', 'krw', 'clp'])

const KNOWN_INTENT = [
  /^(amount|currency|customer|payment_method|confirm|off_session|description)$/,
  /^automatic_payment_methods\[(enabled|allow_redirects)\]$/,
  /^metadata\[\w{1,40}\]$/,
]
const KNOWN_CUSTOMER = [/^email$/, /^metadata\[\w{1,40}\]$/]

const missing = (param: string) =>
  new StripeApiError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param })
const invalid = (param: string, message: string) => new StripeApiError(400, message, { code: 'parameter_invalid', param })

function checkNames(form: URLSearchParams, all: RegExp[], needed: string[]): Map<string, string> {
  for (const [name, value] of form) {
    if (!all.some((known) => known.test(name)))
      throw new StripeApiError(400, `Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name })
    if (value === '')
      throw new StripeApiError(400, `You passed an empty string for '${name}'.`, { code: 'parameter_invalid_empty', param: name })
  }
  const given = new Map(form)
  for (const name of needed) if (!given.has(name)) throw missing(name)
  return given
}

/** Checks a form as Stripe does for POST /v1/customers. */
export const checkCustomerForm = (form: URLSearchParams): Map<string, string> => checkNames(form, KNOWN_CUSTOMER, [])

/** Checks a form as Stripe does for POST /v1/payment_intents, limited to payments without their payers. */
export function checkIntentForm(form: URLSearchParams): Map<string, string> {
  const given = checkNames(form, KNOWN_INTENT, ['amount', 'currency'])
  for (const name of ['confirm', 'off_session'])
    if (given.get(name) !== 'true') throw invalid(name, 'Nobody is here to confirm it')
  for (const name of ['customer', 'payment_method']) if (!given.has(name)) throw missing(name)
  if (given.get('automatic_payment_methods[allow_redirects]') !== 'never')
    throw invalid('return_url', 'A return_url is needed where methods that lead elsewhere are allowed.')
  checkAmount(given.get('amount') ?? '', 'amount', given.get('currency') ?? '', 'currency')
  return given
}

function checkAmount(amount: string, amountName: string, currency: string, currencyName: string): void {
  if (!/^\d{1,8}$/.test(amount)) throw invalid(amountName, `Invalid integer: ${amount}`)
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(currencyName, `Invalid currency: ${currency}`)
  if (!ZERO_DECIMALS.has(currency) && Number(amount) < 50)
    throw new StripeApiError(400, 'The total amount must convert to at least 50 cents.', { code: 'amount_too_small' })
}

/** Checks the form of a request as Stripe does. Throws the fault that Stripe would return. */
export function checkSessionForm(form: URLSearchParams): Map<string, string> {
  const setup = form.get('mode') === 'setup'
  const lines = ['line_items[0][quantity]', 'line_items[0][price_data][currency]']
  const given = checkNames(form, setup ? KNOWN_SETUP : KNOWN_PAYMENT, ['mode', 'success_url', ...(setup ? [] : lines)])
  if (given.get('mode') !== 'payment' && !setup) throw invalid('mode', 'Invalid mode')
  if (setup && !given.has('allowed_payment_method_types[0]')) throw missing('currency')
  if (given.has('customer') && given.has('customer_email'))
    throw invalid('customer_email', 'You may only specify one of these parameters: customer, customer_email.')
  for (const name of ['success_url', 'cancel_url'])
    if (given.has(name) && !URL.canParse(given.get(name) ?? '')) throw invalid(name, 'Not a valid URL')
  if (setup) return given
  const [amountName, currencyName] = ['line_items[0][price_data][unit_amount]', 'line_items[0][price_data][currency]']
  checkAmount(given.get(amountName) ?? '', amountName, given.get(currencyName) ?? '', currencyName)
  return given
}

/** The `[metadata][…]` of a form under a prefix. */
export function metadataOf(form: Map<string, string>, prefix: string): Record<string, string> {
  const start = `${prefix}[`
  return Object.fromEntries(
    [...form].filter(([name]) => name.startsWith(start)).map(([name, value]) => [name.slice(start.length, -1), value]),
  )
}
