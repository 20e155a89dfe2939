import { expect } from 'vitest'
import { CONDITION_TABLE } from '#lib/domain/errors'
import { API } from '#lib/wire/api'
import { refusalsOf } from '#lib/wire/openapi-refusals'
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-client.ts'

/** Addresses as expressions. Of ids those of models alone have slashes. */
const ADDRESSES = API.map(({ path, endpoint }) => ({
  endpoint,
  path: new RegExp(`^${path.replace(/\{\w+\}/, path.startsWith('/v1/models/') ? '.+' : '[^/]+')}(\\?|$)`),
}))

/** Sends a request. Throws where it is refused in a way that the API's document does not have for its address. */
export async function sendDocumented(url: string, request: RawRequest | Buffer): Promise<RawAnswer> {
  const answer = await sendRaw(url, request)
  if (Buffer.isBuffer(request) || answer.status < 400 || answer.header('content-type') !== 'application/json') return answer
  const { method = 'POST', path = '/v1/chat/completions' } = request
  const found = ADDRESSES.find((address) => address.endpoint.method === method && address.path.test(path))
  if (found) {
    const rows = refusalsOf(found.endpoint).map((condition) => CONDITION_TABLE[condition])
    const told = `${answer.status} ${answer.error().code}`
    expect(
      rows.map(({ status, code }) => `${status} ${code}`),
      `${method} ${path}`,
    ).toContain(told)
  }
  return answer
}
