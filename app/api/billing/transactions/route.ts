import { consoleRoute } from '#app/api/console'
import { transactionQuery } from '#lib/contracts/billing'
import { listTransactions } from '#lib/services/billing/list-transactions'

export const GET = consoleRoute(listTransactions, { input: transactionQuery })
