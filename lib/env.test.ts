import { expect, it } from 'vitest'
import { readEnv } from './env.ts'

it('takes addresses and ranges as trusted proxies', () => {
  expect(readEnv({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8' }).TRUSTED_PROXIES).toEqual([
    '127.0.0.1',
    '10.0.0.0/8',
    'fd00::/8',
  ])
  expect(readEnv({}).TRUSTED_PROXIES).toEqual([])
})

it.each(['loopback', '10.0.0.0/99', 'proxy.internal'])('refuses %s at the start, not at each request', (text) => {
  expect(() => readEnv({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES: addresses and ranges/)
})

it('takes the origins of web pages: all, some, or none', () => {
  expect(readEnv({}).CORS_ORIGINS).toBe('*')
  expect(readEnv({ CORS_ORIGINS: 'none' }).CORS_ORIGINS).toEqual([])
  expect(readEnv({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).CORS_ORIGINS).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ])
  for (const wrong of ['a.example', 'https://a.example/', 'https://a.example, *'])
    expect(() => readEnv({ CORS_ORIGINS: wrong })).toThrow(/CORS_ORIGINS: origins such as/)
})

it('takes a store for files whole, and only whole', () => {
  const store = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hidden' }
  expect(readEnv(store)).toMatchObject({ ...store, S3_REGION: 'us-east-1', S3_PREFIX: 'files/' })
  expect(readEnv({ ...store, S3_ENDPOINT: 'http://localhost:9000' }).S3_ENDPOINT).toBe('http://localhost:9000')
  for (const half of [{ S3_BUCKET: 'b' }, { S3_ENDPOINT: 'http://localhost:9000' }, { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id' }])
    expect(() => readEnv(half)).toThrow(/S3_SECRET_ACCESS_KEY: needed too/)
  expect(() => readEnv({ S3_SECRET_ACCESS_KEY: 'hidden' })).toThrow(/^(?!.*hidden).*S3_BUCKET: needed too/s)
  for (const prefix of ['/x', 'a b', 'x?y'])
    expect(() => readEnv({ ...store, S3_PREFIX: prefix })).toThrow(/S3_PREFIX: what keys/)
})

it('takes both keys of Stripe or none: what is paid could not be credited without the second', () => {
  expect(readEnv({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' }).CURRENCY).toBe('usd')
  expect(() => readEnv({ STRIPE_SECRET_KEY: 'hidden' })).toThrow(/^(?!.*hidden).*STRIPE_WEBHOOK_SECRET: needed too/s)
  expect(() => readEnv({ STRIPE_WEBHOOK_SECRET: 'hidden' })).toThrow(/STRIPE_SECRET_KEY: needed too/)
})

it.each(['GITHUB', 'GOOGLE'])('takes the id and the secret of %s or none', (name) => {
  expect(readEnv({ [`${name}_CLIENT_ID`]: 'id', [`${name}_CLIENT_SECRET`]: 'hidden' })).toMatchObject({
    [`${name}_CLIENT_ID`]: 'id',
  })
  expect(() => readEnv({ [`${name}_CLIENT_SECRET`]: 'hidden' })).toThrow(
    new RegExp(`^(?!.*hidden).*${name}_CLIENT_ID: needed too`, 's'),
  )
})

it.each([
  [{ CURRENCY: 'gold' }, /CURRENCY: the three letters/],
  [{ CURRENCY: 'jpy', TOP_UP_MIN: '1.5' }, /TOP_UP_MIN: an amount above zero that can be paid in jpy/],
  [{ TOP_UP_MIN: '0' }, /TOP_UP_MIN: an amount above zero/],
  [{ TOP_UP_MIN: '20', TOP_UP_MAX: '10' }, /TOP_UP_MAX: at least TOP_UP_MIN/],
  [{ TOP_UP_MAX: 'much' }, /TOP_UP_MAX: an amount below 1000000 such as/],
  [{ SMTP_URL: 'https://mail.example.com' }, /SMTP_URL/],
])('refuses %j', (given, message) => {
  expect(() => readEnv(given)).toThrow(message)
})

it('takes the key of any vendor of the table that has no settings of its own, and another address beside it', () => {
  const env = {
    MISTRAL_API_KEY: ' hidden ',
    FAL_KEY: 'hidden',
    FAL_BASE_URL: 'http://localhost:9/x',
    OPENAI_API_KEY: 'k',
    XAI_API_KEY: '',
  }
  expect(readEnv(env).VENDORS).toEqual([
    { kind: 'mistral', key: 'hidden', baseUrl: null },
    { kind: 'fal', key: 'hidden', baseUrl: 'http://localhost:9/x' },
  ])
  expect(() => readEnv({ MISTRAL_API_KEY: 'hidden', MISTRAL_BASE_URL: 'mistral' })).toThrow(/^(?!.*hidden).*MISTRAL_BASE_URL: /s)
  expect(() => readEnv({ PORT: 'x', MISTRAL_API_KEY: 'hidden', MISTRAL_BASE_URL: 'x' })).toThrow(/PORT: .*MISTRAL_BASE_URL: /s)
})
