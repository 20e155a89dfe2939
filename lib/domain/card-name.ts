/** Brands that are not written as Stripe's name for them with a capital letter. */
const BRANDS: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  cartes_bancaires: 'Cartes Bancaires',
  unknown: 'Card',
}

/** The usual name of a card: `Visa •••• 4242`. */
export function cardName({ brand, last4 }: { brand: string; last4: string }): string {
  const known = Object.hasOwn(BRANDS, brand) ? BRANDS[brand] : undefined
  return `${known ?? brand.charAt(0).toUpperCase() + brand.slice(1)} •••• ${last4}`
}
