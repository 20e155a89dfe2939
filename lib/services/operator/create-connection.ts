import type { Changed } from '#lib/contracts/operator'
import type { CreateConnectionInput } from '#lib/contracts/operator-connections'
import type { Ctx } from '../ports.ts'
import { connectionValues, knownKind, sealedHeaders } from './connection-values.ts'
import { makeChange } from './make-changes.ts'

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
}): Promise<Changed> {
  const { credentials, headers, proxy, baseUrl, ...rest } = input
  const { baseUrl: address, secret } = connectionValues(knownKind(input.kind), { baseUrl, credentials })
  const value = {
    ...rest,
    baseUrl: address,
    secretSealed: secret === null ? null : ctx.sealing.seal(secret),
    headersSealed: sealedHeaders(headers, {}, ctx.sealing),
    proxySealed: proxy === null ? null : ctx.sealing.seal(proxy),
  }
  return makeChange(ctx, { do: 'add', target: 'connection', id: ctx.ids.create('con'), value })
}
