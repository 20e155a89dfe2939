import { account } from './chinese/account.ts'
import { accounts } from './chinese/accounts.ts'
import { billing } from './chinese/billing.ts'
import { catalog } from './chinese/catalog.ts'
import { emails } from './chinese/emails.ts'
import { fields } from './chinese/fields.ts'
import { gateway } from './chinese/gateway.ts'
import { keys } from './chinese/keys.ts'
import { requests } from './chinese/requests.ts'
import { signIn } from './chinese/sign-in.ts'
import { vendors } from './chinese/vendors.ts'

/**
 * The Chinese of every message that a verb can tell (see message.ts), by its English. A new message is added here, in the area that
 * it belongs to; what the pages say of themselves stands in components/messages.
 */
export const chinese = {
  ...account,
  ...accounts,
  ...billing,
  ...catalog,
  ...signIn,
  ...fields,
  ...gateway,
  ...keys,
  ...emails,
  ...requests,
  ...vendors,
} as const
