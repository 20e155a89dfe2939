import type { CatalogModel } from '../domain/catalog.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnyForm } from '../wire/vendor-form.ts'

/** The form in which a vendor is asked directly; null if it is reached through the bridge, if at all. */
export function findForm<Input, P>(
  { forms, fanOutForms }: PaidEndpoint<Input, P>,
  model: CatalogModel,
  vendor: Vendor,
): AnyForm<P> | null {
  const fits = ({ wire, fits: suits }: AnyForm<P>): boolean => vendor.forward[wire] !== undefined && (suits?.(model) ?? true)
  return forms.find(fits) ?? fanOutForms?.find(fits) ?? null
}
