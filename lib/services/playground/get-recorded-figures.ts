import type { RecordedFigures } from '#lib/contracts/playground'
import { isRequestId } from '../history/request-id.ts'
import type { Ctx } from '../ports.ts'

/** Returns what a request cost, for a page that waits for its record: null as long as there is none, also for another account's. */
export async function getRecordedFigures({
  ctx,
  input,
}: {
  ctx: Ctx<'requests'>
  input: { request: string }
}): Promise<RecordedFigures> {
  const record = isRequestId(input.request) ? await ctx.requests.find(ctx.user.accountId, input.request) : null
  if (record === null) return { figures: null }
  const { chargedNano, inputUnits, outputUnits } = record
  return {
    figures: { chargedNano: chargedNano.toString(), inputUnits: Number(inputUnits), outputUnits: Number(outputUnits) },
  }
}
