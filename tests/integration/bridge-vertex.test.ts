import { createVerify, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ANSWERS, bridgedAsks } from '../fakes/bridged-asks.ts'
import { sendJson } from '../fakes/vendor.ts'

const asks = bridgedAsks()
const { ask, run } = asks

describe("Vertex's credentials", () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const keyFile = (name: string): string =>
    JSON.stringify({
      type: 'service_account',
      client_email: `${name}@p`,
      private_key: pem,
      token_uri: `${new URL(asks.vendor.url).origin}/token`,
    })

  /** Answers as Google's token service, and as Vertex. */
  function respondTokens(assertions: string[], status = 200): void {
    asks.vendor.answer((call) => {
      if (call.path !== '/token') return sendJson(call, ANSWERS['google-vertex'])
      assertions.push(String(call.body.assertion))
      sendJson(
        call,
        status === 200 ? { access_token: `token-${assertions.length}`, expires_in: 3600 } : { error: 'invalid_grant' },
        status,
      )
    })
  }

  test('a service account asks for one token, for all calls', async () => {
    const assertions: string[] = []
    respondTokens(assertions)
    const secret = keyFile('one')
    await Promise.all([run('google-vertex', {}, { secret }), run('google-vertex', {}, { secret })])
    await run('google-vertex', {}, { secret })
    expect(assertions).toHaveLength(1)
    const [head = '', claims = '', signature = ''] = (assertions[0] ?? '').split('.')
    expect(createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(true)
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'one@p',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    })
    const { authorization, 'x-goog-api-key': apiKey } = asks.vendor.calls.at(-1)?.headers ?? {}
    expect({ authorization, apiKey }).toEqual({ authorization: 'Bearer token-1', apiKey: undefined })
    // The same key file as one of several fields.
    await run('google-vertex', {}, { secret: JSON.stringify({ serviceAccount: secret }) })
    expect(assertions).toHaveLength(1)
  })

  test('an account that gets no token is the operator’s mistake, and is asked for again', async () => {
    const assertions: string[] = []
    const secret = keyFile('two')
    respondTokens(assertions, 400)
    await expect(run('google-vertex', {}, { secret })).rejects.toMatchObject({ kind: 'misconfigured' })
    respondTokens(assertions)
    expect(await run('google-vertex', {}, { secret })).toMatchObject({ k: 'parts' })
    expect(assertions).toHaveLength(2)
  })

  test('half a key file is the operator’s mistake', async () => {
    await expect(run('google-vertex', {}, { secret: '{"type":"service_account"}' })).rejects.toMatchObject({
      kind: 'misconfigured',
    })
  })

  test('an API key goes as one', async () => {
    await ask('google-vertex', {}, { secret: 'AIza-key' })
    const { authorization, 'x-goog-api-key': apiKey } = asks.vendor.calls.at(-1)?.headers ?? {}
    expect({ authorization, apiKey }).toEqual({ authorization: undefined, apiKey: 'AIza-key' })
  })
})
