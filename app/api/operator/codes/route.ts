import { operatorRoute } from '#app/api/console'
import { codeQuery, mintInput } from '#lib/contracts/operator-accounts'
import { listCodes } from '#lib/services/operator/list-codes'
import { mintCodes } from '#lib/services/operator/mint-codes'

export const GET = operatorRoute(listCodes, { input: codeQuery })
export const POST = operatorRoute(mintCodes, { input: mintInput, status: 201 })
