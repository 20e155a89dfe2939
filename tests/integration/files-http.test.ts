import { readdir, readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#lib/domain/time-units'
import { type ApiWorld, expectError, openApiWorld } from '../fakes/api-world.ts'
import { addFile, signedUrl } from '../support/files.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const READER_TIMEOUT_MS = 1500
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
const LARGE = Buffer.alloc(48 * 1024 * 1024, 'large ')
let world: ApiWorld
let small: { name: string; path: string }
let large: { name: string; path: string }

beforeAll(async () => {
  world = await openApiWorld({ READER_TIMEOUT_MS: String(READER_TIMEOUT_MS) })
  small = await addFile(world.gateway, BYTES)
  large = await addFile(world.gateway, LARGE, { type: 'video/mp4' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const get = (path: string, headers: [string, string][] = [], method = 'GET') => world.send({ method, path, headers })
const etag = () => `"${small.name.slice(11, -4)}"`

describe('a range', () => {
  test.each<[string, string | null, number, string | null]>([
    ['none', null, 200, null],
    ['first byte', 'bytes=0-0', 206, 'bytes 0-0/256'],
    ['middle', 'bytes=10-19', 206, 'bytes 10-19/256'],
    ['rest', 'bytes=250-', 206, 'bytes 250-255/256'],
    ['suffix', 'bytes=-6', 206, 'bytes 250-255/256'],
    ['longer than the file', 'bytes=0-9999', 206, 'bytes 0-255/256'],
    ['all of it', 'bytes=0-255', 206, 'bytes 0-255/256'],
    ['beyond', 'bytes=256-', 416, 'bytes */256'],
    ['empty suffix', 'bytes=-0', 416, 'bytes */256'],
    ['several', 'bytes=0-1,4-5', 200, null],
    ['backwards', 'bytes=9-3', 200, null],
    ['malformed', 'bytes=x', 200, null],
    ['another unit', 'pages=1-2', 200, null],
  ])('%s', async (_, range, status, contentRange) => {
    const answer = await get(small.path, range === null ? [] : [['range', range]])
    expect(answer.status).toBe(status)
    expect(answer.header('content-range')).toBe(contentRange)
    if (status === 416) return expectError(answer, { condition: 'wrong_range' })
    const [, first = '0', last = '255'] = /(\d+)-(\d+)/.exec(contentRange ?? '') ?? []
    expect(answer.body).toEqual(BYTES.subarray(Number(first), Number(last) + 1))
    expect(answer.header('content-length')).toBe(String(answer.body.length))
    expect(answer.header('etag')).toBe(etag())
  })

  test.each<[string, () => string, number]>([
    ['that holds', etag, 206],
    ['of another file', () => '"file_0"', 200],
    ['that is weak', () => `W/${etag()}`, 200],
    ['with a date', () => new Date().toUTCString(), 200],
  ])('with an If-Range %s', async (_, condition, status) => {
    const answer = await get(small.path, [
      ['range', 'bytes=1-2'],
      ['if-range', condition()],
    ])
    expect([answer.status, answer.body.length]).toEqual([status, status === 206 ? 2 : 256])
  })

  test('of a large file, and all of it', async () => {
    const part = await get(large.path, [['range', 'bytes=1000001-3000000']])
    expect(part.body.equals(LARGE.subarray(1_000_001, 3_000_001))).toBe(true)
    expect((await get(large.path)).body.equals(LARGE)).toBe(true)
  })
})

describe('the headers', () => {
  test.each([
    ['image/png', 'image/png', 'inline', 'png'],
    ['video/webm', 'video/webm', 'inline', 'webm'],
    ['audio/mpeg', 'audio/mpeg', 'inline', 'mp3'],
    ['text/plain', 'text/plain; charset=utf-8', 'attachment', 'txt'],
    ['image/svg+xml', 'application/octet-stream', 'attachment', 'bin'],
    ['text/html', 'application/octet-stream', 'attachment', 'bin'],
  ])('of %s', async (type, served, disposition, extension) => {
    const { path, name } = await addFile(world.gateway, BYTES, { type })
    const answer = await get(path)
    expect(Object.fromEntries([...answer.headers].map(([key, values]) => [key, values.join()]))).toMatchObject({
      'content-type': served,
      'content-disposition': `${disposition}; filename="${name.slice(11)}"`,
      'content-length': '256',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'x-request-id': expect.stringMatching(/^req_[0-9a-z]{26}$/),
    })
    expect(name.endsWith(`.${extension}`)).toBe(true)
    const [, age] = /^private, max-age=(\d+), no-transform$/.exec(answer.header('cache-control') ?? '') ?? []
    expect(Number(age)).toBeGreaterThan(3500)
    expect(Number(age)).toBeLessThanOrEqual(3600)
  })

  test('of HEAD are those of GET, without a body', async () => {
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ method: 'HEAD', path: small.path, headers: [['range', 'bytes=0-1']] }))
    const head = await connection.readAnswer({ bodyless: true })
    expect([head.status, head.header('content-length'), head.header('etag')]).toEqual([200, '256', etag()])
    // The connection is still good, because no body was sent.
    connection.send(requestBytes({ method: 'GET', path: small.path }))
    expect((await connection.readAnswer()).body).toEqual(BYTES)
    connection.destroy()
  })

  test('an empty file is an answer too', async () => {
    const { path } = await addFile(world.gateway, Buffer.alloc(0))
    const answer = await get(path)
    expect([answer.status, answer.header('content-length'), answer.body.length]).toEqual([200, '0', 0])
    expectError(await get(path, [['range', 'bytes=0-']]), { condition: 'wrong_range' })
  })
})

describe('what is refused', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const answer = await get(small.path, [], method)
    expectError(answer, { condition: 'wrong_method' })
    expect(answer.header('allow')).toBe('GET, HEAD')
  })

  test.each<[string, (path: string) => string]>([
    ['another folder', (path) => path.replace('/files/', '/files/../')],
    ['a way out', (path) => path.replace(/\/files\/[^?]*/, '/files/../../../../etc/passwd')],
    ['an encoded way out', (path) => path.replace(/\/files\/[^?]*/, '/files/%2e%2e%2f%2e%2e%2fetc%2fpasswd')],
    ['a way out below an hour', (path) => path.replace(/\/files\/[^?]*/, '/files/2026112019/..%2f..%2fsecret-key')],
    ['an absolute path', (path) => path.replace(/\/files\/[^?]*/, '/files//etc/passwd')],
    ['a zero', (path) => path.replace('.png', '.png%00.txt')],
    ['an unfinished file', (path) => path.replace('.png', '.png.part')],
    ['another extension', (path) => path.replace('.png', '.html')],
    ['the folder', (path) => path.replace(/\/files\/[^?]*/, '/files')],
    ['an hour', (path) => path.replace(/(\/files\/\d+)[^?]*/, '$1')],
    ['upper case', (path) => path.replace('file_', 'FILE_')],
    ['a backslash', (path) => path.replace(/(\/files\/\d+)\//, '$1%5c')],
  ])('%s', async (_, change) => {
    const answer = await get(change(small.path))
    expect([403, 404]).toContain(answer.status)
    expect(answer.body.includes(BYTES.subarray(0, 8))).toBe(false)
    world.expectNoLeaks(answer)
  })

  test('a file that is there and one that is not, where nothing is signed: the same answer', async () => {
    const [existingPath, missingPath] = [small.path, small.path.replace(/_\w{26}/, '_01k0abcdefghjkmnpqrstvwxyz')]
    const answers = await Promise.all(
      [existingPath, missingPath].map((path) => get(path.replace(/signature=.*/, `signature=${'A'.repeat(43)}`))),
    )
    for (const answer of answers) expectError(answer, { condition: 'wrong_signature' })
    expect(answers[0]?.body).toEqual(answers[1]?.body)
  })

  test('a file whose time is over, though it is still there', async () => {
    const { path } = await addFile(world.gateway, BYTES, { untilMs: Date.now() + 2000 })
    expect((await get(path)).status).toBe(200)
    await sleep(2100)
    expectError(await get(path), { condition: 'expired_file' })
  })

  test('a longer time under the signature of a shorter one', async () => {
    const path = small.path.replace(/expires=(\d+)/, (_, seconds: string) => `expires=${Number(seconds) + 3600}`)
    expectError(await get(path), { condition: 'wrong_signature' })
  })

  test('a signed address without a file', async () => {
    const { path } = signedUrl(world.url, small.name.replace(/_\w{26}/, '_01k0abcdefghjkmnpqrstvwxyz'), Date.now() + HOUR_MS)
    expectError(await get(path), { condition: 'unknown_file' })
  })
})

/** How many files of its own the gateway has open. */
async function openFiles(): Promise<number> {
  const dir = `/proc/${world.gateway.pid}/fd`
  const links = await Promise.all((await readdir(dir)).map((fd) => readlink(`${dir}/${fd}`).catch(() => '')))
  return links.filter((link) => link.includes(world.gateway.dataDir) && /\.(mp4|png)$/.test(link)).length
}

describe('a file is closed', () => {
  test('when it has been read, and when only its headers were asked for', async () => {
    await Promise.all([get(small.path), get(small.path, [], 'HEAD'), get(small.path, [['range', 'bytes=900-']])])
    await expect.poll(openFiles).toBe(0)
  })

  test('when its reader leaves', async () => {
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ method: 'GET', path: large.path }))
    await connection.readHead()
    expect(await openFiles()).toBe(1)
    connection.destroy()
    await expect.poll(openFiles, { timeout: 1000 }).toBe(0)
  })

  test('when its reader takes nothing, whose connection is ended; and memory does not hold the file', async () => {
    const rssBefore = await world.gateway.rss()
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ method: 'GET', path: large.path }))
    await sleep(500)
    expect(await openFiles()).toBe(1)
    expect((await world.gateway.rss()) - rssBefore).toBeLessThan(LARGE.length / 2)
    await expect.poll(openFiles, { timeout: READER_TIMEOUT_MS * 3 }).toBe(0)
    expect((await connection.readUntilClosed()).length).toBeLessThan(LARGE.length)
  })
})
