import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#lib/domain/time-units'
import { expiryHourIn, fileNameOf } from '#lib/files/names'
import { openS3, type S3Settings } from '#lib/files/s3'
import type { FileStore } from '#lib/files/store'
import { makeId } from '#lib/host/make-id'
import { expectError, openApiWorld } from '../fakes/api-world.ts'
import { type FakeS3, S3_ACCOUNT, startFakeS3 } from '../fakes/s3.ts'
import { signedUrl } from '../support/files.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12, 30)
const MIB = 1024 * 1024
let s3: FakeS3
let settings: S3Settings
let store: FileStore

beforeAll(async () => {
  s3 = await startFakeS3()
  settings = { ...S3_ACCOUNT, endpoint: s3.endpoint, prefix: 'gate/files' }
  store = await openS3(settings)
})
afterEach(() => {
  s3.intercept = null
  s3.objects.clear()
  s3.requests.length = 0
})
afterAll(() => s3?.[Symbol.asyncDispose]())

const SHORT_TIMEOUTS = { openMs: 300, writeIdleMs: 300, abortMs: 100 }
const newName = (untilMs = NOW_MS, type = 'image/png') => fileNameOf(makeId('file', NOW_MS), type, untilMs)

async function contentOf(name: string, first = 0, last?: number): Promise<Buffer> {
  const file = await store.open(name)
  if (!file) throw new Error('no such file')
  const pieces: Uint8Array[] = []
  for await (const piece of file.read(first, last ?? file.bytes - 1)) pieces.push(piece)
  await file.close()
  return Buffer.concat(pieces)
}

async function* streamMebibytes(mebibytes: number, end?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < mebibytes; at++) yield Buffer.alloc(MIB, at)
  if (end) throw end
}

test('keeps bytes and streams, and reads parts of them', async () => {
  const [one, two, empty] = [newName(), newName(NOW_MS, 'video/mp4'), newName()]
  expect(await store.put(one, Buffer.from('0123456789'), 'image/png')).toEqual({ bytes: 10 })
  expect(await store.put(two, streamMebibytes(13), 'video/mp4')).toEqual({ bytes: 13 * MIB })
  expect(await store.put(empty, streamMebibytes(0), 'image/png')).toEqual({ bytes: 0 })
  expect((await contentOf(one)).toString()).toBe('0123456789')
  expect((await contentOf(one, 3, 5)).toString()).toBe('345')
  expect((await contentOf(one, 9, 9)).toString()).toBe('9')
  const content = await contentOf(two)
  expect(content.length).toBe(13 * MIB)
  for (let at = 0; at < 13; at++) expect([content[at * MIB], content[(at + 1) * MIB - 1]]).toEqual([at, at])
  expect([...(await contentOf(two, 6 * MIB - 1, 6 * MIB))]).toEqual([5, 6])
  expect((await store.open(empty))?.bytes).toBe(0)
  expect([...s3.objects.keys()]).toEqual([one, two, empty].map((name) => `gate/files/${name}`))
  expect([...s3.objects.values()].map(({ type }) => type)).toEqual(['image/png', 'video/mp4', 'image/png'])
  expect(s3.unfinished()).toBe(0)
})

test('what is not there is null', async () => {
  expect(await store.open(newName())).toBeNull()
})

test.each([
  ['before its first part was sent', 1],
  ['after two parts', 13],
])('a stream that breaks off %s leaves nothing', async (_, mebibytes) => {
  const name = newName()
  await expect(store.put(name, streamMebibytes(mebibytes, new Error('cut')), 'image/png')).rejects.toThrow('cut')
  expect(await store.open(name)).toBeNull()
  expect([s3.objects.size, s3.unfinished()]).toEqual([0, 0])
})

test('a reader that leaves ends what is read', async () => {
  const name = newName()
  await store.put(name, streamMebibytes(13), 'video/mp4')
  const file = await store.open(name)
  const source = file?.read(0, 13 * MIB - 1)[Symbol.asyncIterator]()
  await source?.next()
  await file?.close()
  const drained = async () => {
    while (!(await source?.next())?.done);
  }
  await expect(drained()).rejects.toThrow()
  await expect.poll(s3.openAnswers, { timeout: 1000 }).toBe(0)
})

test('a store that fails at one part is asked for it again; where it goes on failing, nothing is left', async () => {
  let failures = 1
  s3.intercept = (request, response) => {
    if (!request.url?.includes('partNumber=2') || failures-- <= 0) return false
    request.resume()
    response.writeHead(503).end()
    return true
  }
  const name = newName()
  await store.put(name, streamMebibytes(13), 'video/mp4')
  expect((await contentOf(name)).length).toBe(13 * MIB)
  failures = 99
  await expect(store.put(newName(), streamMebibytes(13), 'video/mp4')).rejects.toMatchObject({
    $metadata: { httpStatusCode: 503 },
  })
  expect([s3.objects.size, s3.unfinished()]).toEqual([1, 0])
})

test('removes one file, and none that is gone', async () => {
  const [one, two] = [newName(), newName()]
  for (const name of [one, two]) await store.put(name, Buffer.from('x'), 'image/png')
  await store.remove(one)
  await store.remove(one)
  expect(await store.open(one)).toBeNull()
  expect(await contentOf(two)).toEqual(Buffer.from('x'))
})

describe('the sweep', () => {
  test('removes the hours that are over and nothing else', async () => {
    const expiredNames = [newName(NOW_MS - 3 * HOUR_MS), newName(NOW_MS - 2 * HOUR_MS), newName(NOW_MS - 2 * HOUR_MS)]
    const freshNames = [newName(NOW_MS), newName(NOW_MS + HOUR_MS)]
    for (const name of [...expiredNames, ...freshNames]) await store.put(name, Buffer.from('x'), 'image/png')
    const other = await openS3({ ...settings, prefix: 'gate' })
    const foreignName = newName(NOW_MS - 5 * HOUR_MS)
    await other.put(foreignName, Buffer.from('x'), 'image/png')
    expect(await store.sweep(expiryHourIn(freshNames[0] ?? ''))).toBe(3)
    expect(await store.sweep(expiryHourIn(freshNames[0] ?? ''))).toBe(0)
    expect(s3.requests.filter((line) => line.startsWith('DELETE')).length).toBe(3)
    for (const name of expiredNames) expect(await store.open(name)).toBeNull()
    for (const name of freshNames) expect((await store.open(name))?.bytes).toBe(1)
    expect((await other.open(foreignName))?.bytes).toBe(1)
  })

  test('takes as many pages as there are', async () => {
    const names = Array.from({ length: 305 }, () => newName(NOW_MS - 3 * HOUR_MS))
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, Buffer.from('x'), 'image/png')))
    expect(await store.sweep('2026112012')).toBe(305)
    expect(s3.objects.size).toBe(0)
  })
})

describe('a store that does not serve us', () => {
  test.each<[string, Partial<S3Settings>, RegExp]>([
    ['another secret', { secretAccessKey: 'wrong' }, /Signature/],
    ['an unknown account', { accessKeyId: 'nobody' }, /AccessKey/],
    ['no such bucket', { bucket: 'nowhere' }, /NoSuchBucket/],
  ])('%s', async (_, more, name) => {
    const misconfiguredStore = await openS3({ ...settings, ...more })
    await expect(misconfiguredStore.put(newName(), Buffer.from('x'), 'image/png')).rejects.toMatchObject({
      name: expect.stringMatching(name),
    })
    await expect(misconfiguredStore.put(newName(), streamMebibytes(6), 'image/png')).rejects.toMatchObject({
      name: expect.stringMatching(name),
    })
    await expect(misconfiguredStore.sweep('9999999999')).rejects.toMatchObject({ name: expect.stringMatching(name) })
  })

  test('nobody there', async () => {
    const nobody = createServer().listen(0, '127.0.0.1')
    await once(nobody, 'listening')
    const { port } = nobody.address() as { port: number }
    nobody.close()
    const unreachableStore = await openS3({ ...settings, endpoint: `http://127.0.0.1:${port}` })
    for (const operation of [
      () => unreachableStore.put(newName(), Buffer.from('x'), 'image/png'),
      () => unreachableStore.open(newName()),
    ])
      await expect(operation()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

test('whether a file is there is not waited for without end, nor tried again and again', async () => {
  const impatient = await openS3(settings, SHORT_TIMEOUTS)
  let requestCount = 0
  s3.intercept = () => {
    requestCount++
    return true
  }
  await expect(impatient.open(newName())).rejects.toThrow()
  expect(requestCount).toBe(1)
})

test.each<[string, (store: FileStore) => Promise<unknown>]>([
  ['bytes', (store) => store.put(newName(), Buffer.from('x'), 'image/png')],
  ['a stream', (store) => store.put(newName(), streamMebibytes(13), 'video/mp4')],
  ['what is removed', (store) => store.remove(newName())],
  ['the sweep', (store) => store.sweep('9999999999')],
])('a store that takes %s and says nothing is given up after three tries', async (_, operation) => {
  const impatient = await openS3(settings, SHORT_TIMEOUTS)
  s3.intercept = (request) => {
    request.resume()
    return true
  }
  await expect(operation(impatient)).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(s3.requests).toHaveLength(3)
})

test('a store that says nothing any more once an upload is begun is not waited for once more, to take its parts back', async () => {
  const impatient = await openS3(settings, SHORT_TIMEOUTS)
  s3.intercept = (request) => {
    request.resume()
    return /uploadId=/.test(request.url ?? '')
  }
  await expect(impatient.put(newName(), streamMebibytes(13), 'video/mp4')).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(s3.requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
})

test('a gateway whose settings name a store serves what is in it, and sweeps it', async () => {
  const { bucket, region, accessKeyId, secretAccessKey } = S3_ACCOUNT
  const otherStore = await openS3({ ...settings, prefix: 'files/' })
  const [oldName, name] = [newName(Date.now() - 5 * HOUR_MS), newName(Date.now() + HOUR_MS, 'audio/mpeg')]
  for (const each of [oldName, name]) await otherStore.put(each, Buffer.from('0123456789'), 'audio/mpeg')
  await using world = await openApiWorld({
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  })
  await expect.poll(() => [...s3.objects.keys()]).toEqual([`files/${name}`])
  const { path } = signedUrl(world.url, name)
  const fullAnswer = await world.send({ method: 'GET', path })
  expect([fullAnswer.status, fullAnswer.header('content-type'), fullAnswer.body.toString()]).toEqual([
    200,
    'audio/mpeg',
    '0123456789',
  ])
  const part = await world.send({ method: 'GET', path, headers: [['range', 'bytes=-3']] })
  expect([part.status, part.header('content-range'), part.body.toString()]).toEqual([206, 'bytes 7-9/10', '789'])
  s3.requests.length = 0
  const head = await world.send({ method: 'HEAD', path })
  expect([head.status, head.header('content-length')]).toEqual([200, '10'])
  expect(s3.requests.map((line) => line.split(' ', 1)[0])).toEqual(['HEAD'])
  expectError(await world.send({ method: 'GET', path: signedUrl(world.url, newName()).path }), { condition: 'unknown_file' })
  s3.intercept = (request, response) => {
    request.resume()
    response
      .writeHead(403, { 'content-type': 'application/xml' })
      .end('<Error><Code>AccessDenied</Code><Message>theirs</Message></Error>')
    return true
  }
  const failedAnswer = await world.send({ method: 'GET', path })
  expect([failedAnswer.status, failedAnswer.error().code, failedAnswer.header('retry-after')]).toEqual([
    503,
    'service_unavailable',
    '2',
  ])
  // HEAD has no error body, so the status tells.
  await expect.poll(() => world.gateway.log()).toMatch(/"status":403,"store":"[^"]*","msg":"a file could not be read"/)
  expect(failedAnswer.text + world.gateway.log()).not.toContain(secretAccessKey)
})
