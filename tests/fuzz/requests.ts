import { METHODS } from 'node:http'
import { Random } from '../support/random.ts'
import { type RawRequest, requestBytes } from '../support/raw-client.ts'
import { validBody } from './bodies.ts'
import { fuzzForm } from './forms.ts'
import { invalidFraming } from './invalid-framing.ts'
import { mutate, mutateText } from './mutate.ts'
import {
  type FuzzRequest,
  type FuzzWorld,
  type Header,
  headersOf,
  type RequestDraft,
  validChatBody,
  validRequest,
} from './request-parts.ts'

const PATHS = [
  '/',
  '/v1',
  '/v1/',
  '/v1/models',
  '/v1/models/',
  '/v1/models/fake/chat',
  '/v1/models/fake%2Fchat',
  '/v1/models/%',
  '/v1/models/%00',
  '/v1/models/%ff%fe',
  '/v1/models/..%2f..',
  '/v1/chat',
  '/v1/chat/completions/',
  '/v1/chat/completions/x',
  '/v1//chat//completions',
  '/v1/chat/completions?stream=true&x=%',
  '/V1/models',
  '/v1/embeddings',
  '/v1/audio/speech',
  '/v1/../v1/models',
  '/v1/./models',
  '*',
  '/v1/models?',
  '/v1/models#a',
  '/v1/models;a=b',
  'http://elsewhere/v1/models',
  'http://[/v1/models',
  'https://a:b@c/v1/models',
  '//x/v1/models',
  '/\\/v1/models',
  '/v1/models/constructor',
  '/v1/models/__proto__',
  '/metrics',
  '/favicon.ico',
  '/api/keys',
  '/v1/models/\u00e9',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;',
  'text/plain',
  'application/jsonx',
  '',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json, text/plain',
  ';',
  'application/octet-stream',
]
const OTHER_HEADERS: Header[] = [
  ['accept', 'text/event-stream'],
  ['accept-encoding', 'gzip, br'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['connection', 'close'],
  ['upgrade', 'h2c'],
  ['expect', '100-continue'],
  ['cookie', 'a=b; '.repeat(50)],
  ['x-forwarded-for', '10.0.0.1, unknown, ::1, ['],
  ['x-forwarded-for', ''],
  ['idempotency-key', ''],
  ['idempotency-key', 'a b'],
  ['idempotency-key', 'x'.repeat(300)],
  ['idempotency-key', '\u00e9'],
  ['x-request-id', '\u0080\u00ff'],
  ['forwarded', 'for=_x'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['traceparent', '00-zz'],
  ['openai-organization', 'org-x'],
  ['te', 'trailers'],
  ['content-type', 'text/plain'],
  ['authorization', 'Bearer second'],
  ['user-agent', 'x'.repeat(4000)],
  ['x-a', '\u00ff'.repeat(2000)],
]

function chatRequest(random: Random, world: FuzzWorld, body: Buffer | string, more: Header[] = []): RawRequest {
  return {
    headers: [...headersOf(random, world), ...more],
    body,
    ...(random.chance(0.15) ? { chunkBytes: random.integer(1, 3000) } : {}),
  }
}

/** A request whose headers are wrong or odd, one at a time. */
function oddHeaders(random: Random, world: FuzzWorld): RequestDraft {
  const [key = ['', ''], , from = ['', '']] = headersOf(random, world)
  const secret = key[1].slice(7)
  const wrong = random.pickWeighted<Header[]>([
    [2, [key, ['content-type', random.pick(TYPES)], from]],
    [
      2,
      [
        key,
        ['content-type', 'application/json'],
        from,
        ...Array.from({ length: random.integer(1, 3) }, () => random.pick(OTHER_HEADERS)),
      ],
    ],
    [
      1,
      [
        [
          'authorization',
          random.pick([
            '',
            'Bearer',
            'Bearer ',
            'Basic eDp5',
            `bearer  ${secret}`,
            `Bearer ${secret}x`,
            `Bearer ${secret.slice(1)}`,
            'Bearer \u00ff',
          ]),
        ],
        from,
      ],
    ],
    [1, [from]],
    [
      1,
      [
        key,
        ['content-type', 'application/json'],
        from,
        ...Array.from({ length: random.integer(10, 90) }, (_, n): Header => [`x-${n}`, 'v']),
      ],
    ],
  ])
  const request = { headers: wrong, body: validChatBody(random, world) }
  const bytes = requestBytes(request)
  // A client that asks for an upgrade is answered in plain HTTP.
  return { bytes, broken: false, answers: [{ bodyless: false }] }
}

function oddTarget(random: Random, world: FuzzWorld): RequestDraft {
  const method = random.chance(0.5) ? random.pick(METHODS) : random.pick(['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'])
  const path = random.pick(PATHS)
  const withBody = random.chance(0.4)
  const request = { method, path, headers: headersOf(random, world), ...(withBody ? { body: validChatBody(random, world) } : {}) }
  // CONNECT is for proxies, so Node disconnects. A body that is not expected can end a connection early.
  const broken =
    method === 'CONNECT' || /[^\x21-\x7e]/.test(path) || path.startsWith('http://[') || (withBody && method === 'HEAD')
  return broken ? { bytes: requestBytes(request), broken } : validRequest(request)
}

function pipelinedRequests(random: Random, world: FuzzWorld): RequestDraft {
  const requests = Array.from({ length: random.integer(2, 5) }, (): RawRequest => {
    const body = random.chance(0.5)
      ? validChatBody(random, world)
      : JSON.stringify(mutate(validBody(random, random.pick(world.models)), random))
    return random.chance(0.3)
      ? { method: 'GET', path: '/v1/models', headers: headersOf(random, world) }
      : { headers: headersOf(random, world), body }
  })
  return { bytes: Buffer.concat(requests.map(requestBytes)), broken: false, answers: requests.map(() => ({ bodyless: false })) }
}

function formRequest(random: Random, world: FuzzWorld): RequestDraft {
  const { path, type, body } = fuzzForm(random)
  const headers = headersOf(random, world).map(([name, value]): Header => [name, name === 'content-type' ? type : value])
  return validRequest({ path, headers, body, ...(random.chance(0.2) ? { chunkBytes: random.integer(1, 3000) } : {}) })
}

const KINDS: readonly (readonly [number, string, (random: Random, world: FuzzWorld) => RequestDraft])[] = [
  [25, 'good', (random, world) => validRequest(chatRequest(random, world, validChatBody(random, world)))],
  [
    40,
    'mutated',
    (random, world) =>
      validRequest(chatRequest(random, world, JSON.stringify(mutate(validBody(random, random.pick(world.models)), random)))),
  ],
  [10, 'garbled', (random, world) => validRequest(chatRequest(random, world, mutateText(validChatBody(random, world), random)))],
  [
    2,
    'sandbox',
    (random, world) =>
      validRequest(
        chatRequest(
          random,
          world,
          JSON.stringify({ ...mutate(validBody(random, 'sandbox/chat'), random), model: 'sandbox/chat', max_tokens: 6 }),
        ),
      ),
  ],
  [
    4,
    'repeated',
    (random, world) => {
      // The same few keys over and over, with a few bodies: replays, conflicts and mismatches.
      const body = JSON.stringify({
        model: world.models[0],
        messages: [{ role: 'user', content: `${random.integer(0, 1)}` }],
        stream: random.chance(0.5),
      })
      return validRequest(chatRequest(random, world, body, [['idempotency-key', `${world.seed}-${random.integer(0, 500)}`]]))
    },
  ],
  [4, 'form', formRequest],
  [6, 'odd headers', oddHeaders],
  [6, 'odd target', oddTarget],
  [5, 'wrong framing', invalidFraming],
  [2, 'pipelined', pipelinedRequests],
]

/** The request with this number. It follows from the seed alone, so that it can be sent again. */
export function requestOf(world: FuzzWorld, index: number): FuzzRequest {
  const random = new Random(`${world.seed}/${index}`)
  const [kind, make] = random.pickWeighted(KINDS.map(([weight, name, maker]) => [weight, [name, maker] as const] as const))
  const made = make(random, world)
  return { answers: [], ...made, index, kind, leavesAfterMs: random.chance(0.04) ? random.integer(0, 12) : null }
}
