import { expect, it } from 'vitest'
import { describeUnused, readEnv, VARIABLES } from './env.ts'

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
    expect(() => readEnv(half)).toThrow(/S3_SECRET_ACCESS_KEY: also required/)
  expect(() => readEnv({ S3_SECRET_ACCESS_KEY: 'hidden' })).toThrow(/^(?!.*hidden).*S3_BUCKET: also required/s)
  for (const prefix of ['/x', 'a b', 'x?y'])
    expect(() => readEnv({ ...store, S3_PREFIX: prefix })).toThrow(/S3_PREFIX: what keys/)
})

it('takes both keys of Stripe or none: what is paid could not be credited without the second', () => {
  expect(readEnv({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' }).CURRENCY).toBe('usd')
  expect(() => readEnv({ STRIPE_SECRET_KEY: 'hidden' })).toThrow(/^(?!.*hidden).*STRIPE_WEBHOOK_SECRET: also required/s)
  expect(() => readEnv({ STRIPE_WEBHOOK_SECRET: 'hidden' })).toThrow(/STRIPE_SECRET_KEY: also required/)
})

it.each(['GITHUB', 'GOOGLE'])('takes the id and the secret of %s or none', (name) => {
  expect(readEnv({ [`${name}_CLIENT_ID`]: 'id', [`${name}_CLIENT_SECRET`]: 'hidden' })).toMatchObject({
    [`${name}_CLIENT_ID`]: 'id',
  })
  expect(() => readEnv({ [`${name}_CLIENT_SECRET`]: 'hidden' })).toThrow(
    new RegExp(`^(?!.*hidden).*${name}_CLIENT_ID: also required`, 's'),
  )
})

it.each([
  [{ CURRENCY: 'gold' }, /CURRENCY: the three letters/],
  [{ CURRENCY: 'jpy', TOP_UP_MIN: '1.5' }, /TOP_UP_MIN: an amount above zero that can be paid in jpy/],
  [{ TOP_UP_MIN: '0' }, /TOP_UP_MIN: an amount above zero/],
  [{ TOP_UP_MIN: '20', TOP_UP_MAX: '10' }, /TOP_UP_MAX: at least TOP_UP_MIN/],
  [{ TOP_UP_MAX: 'much' }, /invalid:\n {2}TOP_UP_MAX: an amount below 1000000 such as .*$/],
  [{ TOP_UP_MAX: '0' }, /invalid:\n {2}TOP_UP_MAX: an amount above zero .*$/],
  [{ STRIPE_SECRET_KEY: 'pk_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' }, /STRIPE_SECRET_KEY: .* begins with sk_ or rk_$/],
  [{ STRIPE_SECRET_KEY: 'rk_x', STRIPE_WEBHOOK_SECRET: 'we_x' }, /STRIPE_WEBHOOK_SECRET: .* begins with whsec_$/],
  [{ STRIPE_SECRET_KEY: 'whsec_x', STRIPE_WEBHOOK_SECRET: 'sk_x' }, /STRIPE_SECRET_KEY: .*STRIPE_WEBHOOK_SECRET: /s],
  [{ S3_BUCKET: 's3://b', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }, /S3_BUCKET: the name of a bucket/],
  [{ SMTP_URL: 'https://mail.example.com' }, /SMTP_URL/],
  [{ MAIL_FROM: 'Tollgate' }, /MAIL_FROM: a sender such as/],
  [{ MAIL_FROM: 'Tollgate <tollgate>' }, /MAIL_FROM: a sender such as/],
  [{ MAIL_FROM: 'a@example.com, b@example.com' }, /MAIL_FROM: a sender such as/],
])('refuses %j', (given, message) => {
  expect(() => readEnv(given)).toThrow(message)
})

it.each(['ai@example.com', 'AI <ai@example.com>', '"AI, at work" <ai@mail.example.com>', '<ai@localhost>'])(
  'sends mail from %s',
  (sender) => {
    expect(readEnv({ MAIL_FROM: sender }).MAIL_FROM).toBe(sender)
  },
)

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

it('says which settings of vendors have no effect, because what connects the vendor is not set', () => {
  const env = {
    MISTRAL_BASE_URL: 'http://a',
    OPENAI_BASE_URL: 'http://b',
    XAI_BASE_URL: ' ',
    OPENAI_COMPATIBLE_API_KEY: 'hidden',
  }
  expect(describeUnused(env)).toEqual([
    'OPENAI_BASE_URL has no effect, because OPENAI_API_KEY is not set.',
    'MISTRAL_BASE_URL has no effect, because MISTRAL_API_KEY is not set.',
    'OPENAI_COMPATIBLE_API_KEY has no effect, because OPENAI_COMPATIBLE_BASE_URL is not set.',
  ])
  expect(describeUnused({ ...env, MISTRAL_API_KEY: 'k', OPENAI_API_KEY: 'k', OPENAI_COMPATIBLE_BASE_URL: 'http://c' })).toEqual(
    [],
  )
})

it('the first pause of a breaker is not longer than its longest', () => {
  expect(() => readEnv({ BREAKER_COOL_MS: '200000' })).toThrow(/BREAKER_COOL_MOST_MS: at least BREAKER_COOL_MS \(200000\)$/)
  expect(readEnv({ BREAKER_COOL_MS: '120000' }).BREAKER_COOL_MS).toBe(120_000)
})

it('takes a blank value for none, and others without the spaces around them', () => {
  expect(readEnv({ PORT: ' ', BREAKER_FAILURES: '\t', HOST: ' ', S3_REGION: '', DATABASE_URL: ' ' })).toEqual(readEnv({}))
  expect(readEnv({ PORT: ' 4000 ', METRICS_TOKEN: ' token\n' })).toMatchObject({ PORT: 4000, METRICS_TOKEN: 'token' })
})

it.each(['"/var/lib/tollgate"', "'/var/lib/tollgate'", '""'])(
  '%s, as Docker passes it on, is not taken with its quotation marks',
  (text) => {
    for (const name of ['DATA_DIR', 'OPENAI_API_KEY', 'MISTRAL_API_KEY', 'PORT', 'S3_PREFIX'])
      expect(() => readEnv({ [name]: text })).toThrow(
        new RegExp(`invalid:\\n {2}${name}: the value alone, without quotation marks around it$`),
      )
    expect(readEnv({ MAIL_FROM: '"AI" <a@b.example>', DATA_DIR: "it's" })).toMatchObject({ DATA_DIR: "it's" })
  },
)

it.each(['~', '~/data', '~tollgate/data'])('DATA_DIR %s does not become a folder of that name', (text) =>
  expect(() => readEnv({ DATA_DIR: text })).toThrow(/DATA_DIR: a folder, without ~/),
)

it('takes an IPv6 address to listen on with its brackets too', () => {
  for (const host of ['::', '[::]']) expect(readEnv({ HOST: host }).HOST).toBe('::')
})

it('takes whole numbers in digits alone, up to the largest', () => {
  for (const wrong of ['1e3', '0x10', '0b11', '10.0', '+10', '1_000', '１０'])
    expect(() => readEnv({ WORKERS: wrong })).toThrow(/WORKERS: a whole number from 0 to 64$/)
  expect(readEnv({ WORKERS: '016', SPOOL_BYTES: '1125899906842624' })).toMatchObject({ WORKERS: 16, SPOOL_BYTES: 1024 ** 5 })
  expect(() => readEnv({ SPOOL_BYTES: '9999999999999999' })).toThrow(/SPOOL_BYTES: a whole number from 1024 to/)
})

it.each([
  ['HTTPS://AI.Example.COM', 'https://ai.example.com'],
  ['https://ai.example.com/', 'https://ai.example.com'],
  ['https://ai.example.com:443/Gate//', 'https://ai.example.com/Gate'],
  ['http://localhost:3000', 'http://localhost:3000'],
])('PUBLIC_URL %s is %s in links', (given, told) => {
  expect(readEnv({ PUBLIC_URL: given, ROLE: 'gateway' }).PUBLIC_URL).toBe(told)
})

it('PUBLIC_URL has no path where there is a console, whose pages are at the root of their host', () => {
  for (const ROLE of [undefined, 'all', 'console']) {
    expect(() => readEnv({ PUBLIC_URL: 'https://x.example/gate', ROLE })).toThrow(/PUBLIC_URL: an address without a path/)
    expect(readEnv({ PUBLIC_URL: 'https://x.example/', ROLE }).PUBLIC_URL).toBe('https://x.example')
  }
})

it.each([
  'https://x.example?a=1',
  'https://x.example/#top',
  'https://x.example/?',
  'https://hidden:hidden@x.example',
  'x.example',
])('PUBLIC_URL %s is refused', (text) => {
  expect(() => readEnv({ PUBLIC_URL: text })).toThrow(/^(?!.*hidden).*PUBLIC_URL: /s)
})

it('DATABASE_URL is of PostgreSQL', () => {
  for (const url of ['postgres://localhost/x', 'postgresql://u:p@h:5432/x', 'postgres:///x?host=/run/postgresql'])
    expect(readEnv({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
  for (const wrong of ['foo', 'mysql://hidden/x'])
    expect(() => readEnv({ DATABASE_URL: wrong })).toThrow(/^(?!.*hidden).*DATABASE_URL: an address such as postgres:/s)
})

it.each([
  'postgres://u:hid#den@h:5432/x',
  'postgres://u:hid/den@h:5432/x',
  'postgres://u:1#hidden@h/x',
  'postgres://u@h:99999/x',
])('DATABASE_URL %s, which leads elsewhere than was meant, is refused with what its password needs', (wrong) =>
  expect(() => readEnv({ DATABASE_URL: wrong })).toThrow(/^(?!.*(hid|den)).*DATABASE_URL: .* as %23 for #/s),
)

it.each([
  ['sslmode=require', 'sslmode=verify-full'],
  ['x=1&sslmode=prefer&sslrootcert=/ca', 'x=1&sslmode=verify-full&sslrootcert=/ca'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['sslmode=disable', 'sslmode=disable'],
  ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
])('DATABASE_URL with %s asks the driver for %s', (given, asked) =>
  expect(readEnv({ DATABASE_URL: `postgres://h/x?${given}` }).DATABASE_URL).toBe(`postgres://h/x?${asked}`),
)

it('keys may be in capital digits, and what signs sessions cannot be guessed', () => {
  const capital = 'AB'.repeat(32)
  expect(readEnv({ SECRET_KEY: capital, CREDENTIALS_KEY: capital })).toMatchObject({ SECRET_KEY: capital })
  expect(() => readEnv({ SECRET_KEY: 'AB' })).toThrow(/SECRET_KEY: 64 hexadecimal digits/)
  expect(() => readEnv({ NEXTAUTH_SECRET: 'x' })).toThrow(/NEXTAUTH_SECRET: at least 32 characters/)
})

it.each([
  ['SPOOL_BYTES_PER_ACCOUNT', 'MAX_UPLOAD_BYTES', 'form', 209_715_200],
  ['SPOOL_BYTES', 'MAX_UPLOAD_BYTES', 'form', 209_715_200],
  ['BODY_BYTES_PER_ACCOUNT', 'MAX_BODY_BYTES', 'body', 16_777_216],
  ['BODY_BYTES', 'MAX_BODY_BYTES', 'body', 16_777_216],
])('%s holds the largest that may come, which would be refused for ever', (name, most, what, bytes) => {
  expect(readEnv({ [name]: '2048', [most]: '2048' })).toMatchObject({ [name]: 2048 })
  expect(() => readEnv({ [name]: '1048576' })).toThrow(`${name}: at least the largest ${what} (${most}, ${bytes})`)
})

it('says of every setting what it takes, in words of its own', () => {
  const said = VARIABLES.flatMap((name) =>
    ['?!', '-5', '1e30', 'ftp://host'].flatMap((value) => {
      try {
        readEnv({ [name]: value })
        return []
      } catch (error) {
        return String(error).split('\n').slice(1)
      }
    }),
  )
  expect(said.length).toBeGreaterThan(150)
  expect(said.filter((line) => /Invalid (input|URL|string)|Too (small|big)/.test(line))).toEqual([])
  expect(() => readEnv({ PORT: '80a' })).toThrow(/PORT: a whole number from 0 to 65535$/)
  expect(() => readEnv({ REDIS_URL: 'cache:6379' })).toThrow(/REDIS_URL: the address of one server, such as redis:/)
  for (const good of ['redis://cache', 'rediss://:secret@[::1]:6380/', 'redis://cache:6379/3'])
    expect(readEnv({ REDIS_URL: good }).REDIS_URL).toBe(good)
  for (const wrong of ['redis://cache/limits', 'redis://cache/1/2', 'redis://cache/-1'])
    expect(() => readEnv({ REDIS_URL: wrong })).toThrow(/REDIS_URL: an address such as .*\/3 for a database other/)
})

it.each([
  ['REDIS_URL', 'redis://:hid#den@cache:6379'],
  ['REDIS_URL', 'redis://user:1#hidden@cache:6379'],
  ['REDIS_URL', 'redis://user:1?hidden@cache:6379'],
  ['REDIS_URL', 'redis://one:26379,two:26379/0'],
  ['REDIS_URL', 'redis+sentinel://cache:26379/main'],
  ['SMTP_URL', 'smtp://user:hid#den@mail.example.com'],
  ['SMTP_URL', 'smtps://user:1#hidden@mail.example.com'],
])('%s %s is refused with what its password needs', (name, wrong) =>
  expect(() => readEnv({ [name]: wrong })).toThrow(
    new RegExp(`^(?!.*(hid|den)).*invalid:\\n {2}${name}: the address of one server, [^\\n]* as %23 for #[^\\n]*$`, 's'),
  ),
)
