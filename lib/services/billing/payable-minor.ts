import { currencyOf, toMinor } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/money.ts'
import { messageWith } from '../../messages/message.ts'
import { invalidField } from '../service-error.ts'
import type { BillingSettings } from './billing-ports.ts'

/** Converts an amount to Stripe's minor units. Errors: `invalid_input` (amountNano) if it cannot be paid in one payment. */
export function toPayableMinor(
  amountNano: bigint,
  { currency: code, topUpMinNano, topUpMaxNano }: Pick<BillingSettings, 'currency' | 'topUpMinNano' | 'topUpMaxNano'>,
): bigint {
  const unit = code.toUpperCase()
  if (amountNano < topUpMinNano || amountNano > topUpMaxNano) {
    const [least, most] = [formatDecimal(topUpMinNano), formatDecimal(topUpMaxNano)]
    throw invalidField('amountNano', messageWith('Choose an amount from {least} to {most} {unit}.', { least, most, unit }))
  }
  const currency = currencyOf(code)
  const minor = currency && toMinor(amountNano, currency)
  if (!minor)
    throw invalidField('amountNano', messageWith('This amount cannot be paid in {unit}: it has too many decimals.', { unit }))
  return minor
}
