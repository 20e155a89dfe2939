import type { ChangeResult } from '#lib/contracts/operator'
import type { CreateConnectionInput } from '#lib/contracts/operator-connections'
import type { Ctx } from '../ports.ts'
import { applyChange } from './apply-changes.ts'
import { connectionValues, requireKind, sealHeaders } from './connection-values.ts'

/**
 * Creates a connection to a vendor. Its secrets are sealed before they are written anywhere.
 * Errors: `invalid_input` (kind, name, baseUrl, credentials.NAME, headers).
 */
export async function createConnection({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites' | 'sealing' | 'ids'>
  input: CreateConnectionInput
}): Promise<ChangeResult> {
  const { credentials, headers, proxy, baseUrl, ...rest } = input
  const { baseUrl: address, secret } = connectionValues(requireKind(input.kind), { baseUrl, credentials })
  const value = {
    ...rest,
    baseUrl: address,
    secretSealed: secret === null ? null : ctx.sealing.seal(secret),
    headersSealed: sealHeaders(headers, {}, ctx.sealing),
    proxySealed: proxy === null ? null : ctx.sealing.seal(proxy),
  }
  return applyChange(ctx, { do: 'add', target: 'connection', id: ctx.ids.create('con'), value })
}
