import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An S3-compatible store in memory with one bucket: the few operations that files need, with signatures that have to be valid.
 */
export interface FakeS3 extends AsyncDisposable {
  readonly endpoint: string
  readonly objects: Map<string, { type: string; body: Buffer }>
  /** The number of multipart uploads that were neither completed nor aborted. */
  readonly unfinished: () => number
  /** Methods and targets of all requests. */
  readonly requests: string[]
  /** The number of answers that have not ended. */
  readonly openAnswers: () => number
  /** Runs before each request. If it returns true, it has answered the request. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
}

export const S3_ACCOUNT = {
  bucket: 'results',
  region: 'eu-test-1',
  accessKeyId: 'AKTEST',
  secretAccessKey: 'secret of the store',
}

const PAGE = 100
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** What is wrong with a request's signature by AWS Signature Version 4. Null if it is valid. */
function signatureError(request: IncomingMessage, url: URL, body: Buffer): string | null {
  const header = (name: string) => String(request.headers[name] ?? '')
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(header('authorization'))
  const [, credential = '', signedHeaders = '', signature] = parts ?? []
  const [accessKeyId, ...scope] = credential.split('/')
  if (accessKeyId !== S3_ACCOUNT.accessKeyId) return 'InvalidAccessKeyId'
  if (!signedHeaders.split(';').includes('host')) return 'SignatureDoesNotMatch'
  const digest = header('x-amz-content-sha256')
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const headers = signedHeaders.split(';').map((name) => `${name}:${header(name).trim()}\n`)
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), signedHeaders, digest].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${S3_ACCOUNT.secretAccessKey}`)
  return hmac(key, toSign).toString('hex') === signature ? null : 'SignatureDoesNotMatch'
}

/** Starts a store. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects: FakeS3['objects'] = new Map()
  const uploads = new Map<string, { type: string; parts: Map<number, Buffer> }>()
  const requests: string[] = []
  let busy = 0
  const server = createServer((request, response) => {
    busy++
    response.once('close', () => busy--)
    requests.push(`${request.method} ${request.url}`)
    if (!fake.intercept?.(request, response)) handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const url = new URL(request.url ?? '/', 'http://fake')
    const xml = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? '' : text)
    const fail = (status: number, code: string) => xml(status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    const wrong = signatureError(request, url, body)
    if (wrong) return void fail(403, wrong)
    const [bucket, ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent)
    if (bucket !== S3_ACCOUNT.bucket) return void fail(404, 'NoSuchBucket')
    const [key, type] = [rest.join('/'), request.headers['content-type'] ?? '']
    const uploadId = url.searchParams.get('uploadId')
    const upload = uploads.get(uploadId ?? '')
    if (uploadId !== null && !upload) return void fail(404, 'NoSuchUpload')
    switch (`${request.method}${upload ? ' part' : url.searchParams.has('uploads') ? ' start' : key === '' ? ' list' : ''}`) {
      case 'POST start': {
        const id = randomUUID()
        uploads.set(id, { type, parts: new Map() })
        const names = `<Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`
        return void xml(200, `<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>`)
      }
      case 'PUT part':
        upload?.parts.set(Number(url.searchParams.get('partNumber')), body)
        return void response.writeHead(200, { etag: `"${sha256(body)}"` }).end()
      case 'POST part': {
        const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)/g)].map(([, number]) => Number(number))
        const parts = numbers.map((number) => upload?.parts.get(number) ?? Buffer.alloc(0))
        objects.set(key, { type: upload?.type ?? '', body: Buffer.concat(parts) })
        uploads.delete(uploadId ?? '')
        return void xml(200, `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`)
      }
      case 'DELETE part':
        uploads.delete(uploadId ?? '')
        return void response.writeHead(204).end()
      case 'PUT':
        objects.set(key, { type, body })
        return void response.writeHead(200, { etag: `"${sha256(body)}"` }).end()
      case 'DELETE':
        objects.delete(key)
        return void response.writeHead(204).end()
      case 'GET list':
        return void xml(200, list(url.searchParams))
      case 'HEAD':
      case 'GET': {
        const object = objects.get(key)
        return void (object ? sendObject(object, request, response) : fail(404, 'NoSuchKey'))
      }
      default:
        return void fail(405, 'MethodNotAllowed')
    }
  }

  const list = (params: URLSearchParams): string => {
    const [prefix, after] = [params.get('prefix') ?? '', params.get('continuation-token') ?? '']
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, PAGE)
    const more = keys.length > PAGE
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`
  }

  await once(server, 'listening')
  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    unfinished: () => uploads.size,
    requests,
    openAnswers: () => busy,
    intercept: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

function sendObject(
  { type, body }: { type: string; body: Buffer },
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const part = first === undefined ? body : body.subarray(Number(first), Number(last) + 1)
  response.writeHead(first === undefined ? 200 : 206, { 'content-type': type, 'content-length': part.length })
  response.end(method === 'HEAD' ? '' : part)
}
