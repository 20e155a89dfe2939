import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#lib/domain/time-units'
import { DiskStore } from '#lib/files/disk'
import { expiryHourIn, fileNameOf, signUrl } from '#lib/files/names'
import type { FileStore } from '#lib/files/store'
import { buildFiles, createMedia, type FilesParts } from '#lib/host/files'
import { makeId } from '#lib/host/make-id'
import { mountSmallDisk } from '../chaos/small-disk.ts'
import { FILE_KEY } from '../support/files.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12, 30)
let dir: string
let store: DiskStore

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tollgate-files-'))
  store = new DiskStore(dir)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const newName = (untilMs = NOW_MS) => fileNameOf(makeId('file', NOW_MS), 'image/png', untilMs)

async function contentOf(from: FileStore, name: string, first = 0, last?: number): Promise<Buffer | null> {
  const file = await from.open(name)
  if (!file) return null
  const pieces: Uint8Array[] = []
  for await (const piece of file.read(first, last ?? file.bytes - 1)) pieces.push(piece)
  await file.close()
  return Buffer.concat(pieces)
}

async function* streamOf(...texts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield Buffer.from(text)
  }
}

const listFiles = async (): Promise<string[]> =>
  (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name)

function filesWith(overrides: Partial<FilesParts> = {}) {
  const log = pino({ level: 'silent' })
  return buildFiles({
    store,
    key: FILE_KEY,
    publicUrl: 'https://gate.test',
    now: () => NOW_MS,
    newId: makeId,
    readerTimeoutMs: () => 1000,
    log,
    ...overrides,
  })
}

describe('the disk store', () => {
  test('keeps bytes and streams, for nobody else on the machine', async () => {
    const [one, two] = [newName(), newName()]
    expect(await store.put(one, Buffer.from('whole'))).toEqual({ bytes: 5 })
    expect(await store.put(two, streamOf('pie', '', 'ces'))).toEqual({ bytes: 6 })
    expect([await contentOf(store, one), await contentOf(store, two)].map(String)).toEqual(['whole', 'pieces'])
    expect(String(await contentOf(store, two, 1, 3))).toBe('iec')
    expect((await stat(join(dir, one))).mode & 0o077).toBe(0)
    expect((await stat(join(dir, expiryHourIn(one)))).mode & 0o077).toBe(0)
    expect(await contentOf(store, newName())).toBeNull()
  })

  test('a stream that breaks off leaves nothing', async () => {
    await expect(store.put(newName(), streamOf('half', new Error('cut')))).rejects.toThrow('cut')
    expect(await listFiles()).toEqual([])
  })

  test('until it is whole nothing has its name', async () => {
    const name = newName()
    async function* watchedStream(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(1_000_000)
      expect(await store.open(name)).toBeNull()
      yield Buffer.from('end')
    }
    await store.put(name, watchedStream())
    expect((await contentOf(store, name))?.length).toBe(1_000_003)
  })

  test('a file that is swept while it is read is read to its end', async () => {
    const name = newName()
    await store.put(name, Buffer.alloc(1_000_000, 'x'))
    const file = await store.open(name)
    expect(await store.sweep('9999010100')).toBe(1)
    let bytes = 0
    for await (const piece of file?.read(0, 999_999) ?? []) bytes += piece.byteLength
    await file?.close()
    expect(bytes).toBe(1_000_000)
    expect(await store.open(name)).toBeNull()
  })

  test('sweeps the hours that are over, what crashes left in them too, and nothing else', async () => {
    const expiredName = newName(NOW_MS - 2 * HOUR_MS)
    const freshName = newName(NOW_MS)
    for (const name of [expiredName, `${newName(NOW_MS - 3 * HOUR_MS)}.part`, freshName]) await store.put(name, Buffer.from('x'))
    await store.put('notes/2020.txt', Buffer.from('x'))
    expect(await store.sweep(expiryHourIn(freshName))).toBe(2)
    expect((await readdir(dir)).sort()).toEqual([expiryHourIn(freshName), 'notes'].sort())
    expect(await new DiskStore(join(dir, 'nowhere')).sweep('9999010100')).toBe(0)
  })
})

test('with the clock the sweep moves on: a file is there for an hour after it expired, and then gone', async () => {
  let nowMs = NOW_MS
  const files = filesWith({ now: () => nowMs })
  await files.port.save(Buffer.from('x'), 'image/png', NOW_MS + 10_000)
  for (const [minutes, fileCount] of [
    [0, 1],
    [29, 1],
    [89, 1],
    [91, 0],
  ] as const) {
    nowMs = NOW_MS + minutes * 60_000
    await files.sweep()
    expect((await listFiles()).length, `after ${minutes} minutes`).toBe(fileCount)
  }
  await files.close()
})

describe('what cannot be kept', () => {
  test('a source that fails says so itself', async () => {
    const files = filesWith()
    await expect(files.port.save(streamOf('x', new Error('the vendor hung up')), 'image/png', NOW_MS)).rejects.toThrow('hung up')
    expect(await listFiles()).toEqual([])
    await files.close()
  })

  test('on a full disk it is a refusal that says nothing of the disk, and half of it is not left', async (context) => {
    const disk = await mountSmallDisk('32m')
    if (!disk) {
      process.stdout.write('SKIPPED: a full disk, because this user may not mount one.\n')
      return context.skip()
    }
    try {
      const files = filesWith({ store: new DiskStore(disk.dir) })
      await files.port.save(Buffer.from('before'), 'image/png', NOW_MS)
      await disk.fill()
      async function* largeStream(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < 8; at++) yield Buffer.alloc(1024 * 1024)
      }
      for (const content of [largeStream(), Buffer.alloc(8 * 1024 * 1024)]) {
        const saveError = await files.port.save(content, 'image/png', NOW_MS).catch((error: unknown) => error)
        expect(saveError).toMatchObject({ kind: 'refusal', condition: 'unavailable', detail: 'ENOSPC' })
        expect((saveError as Error).message).not.toMatch(/ENOSPC|disk|\//)
      }
      expect((await readdir(join(disk.dir, '2026112012'))).length).toBe(1)
      await disk.free()
      await files.port.save(Buffer.alloc(8 * 1024 * 1024), 'image/png', NOW_MS)
      expect((await readdir(join(disk.dir, '2026112012'))).length).toBe(2)
      await files.close()
    } finally {
      disk.unmount()
      await rm(disk.dir, { recursive: true, force: true })
    }
  })

  test('a time at which nothing can expire', async () => {
    const files = filesWith()
    await expect(files.port.save(Buffer.from('x'), 'image/png', Number.NaN)).rejects.toThrow(RangeError)
    await files.close()
  })
})

describe('answers', () => {
  const ask = async (files: ReturnType<typeof filesWith>, url: string) =>
    await files.answer({
      method: 'GET',
      url,
      headers: { get: () => null },
      signal: new AbortController().signal,
      body: null,
      bytes: async () => new Uint8Array(0),
    })

  test('at the address that was given', async () => {
    const files = filesWith()
    const { url } = await files.port.save(streamOf('a', 'b'), 'image/webp', NOW_MS + HOUR_MS)
    expect(url).toMatch(/^https:\/\/gate\.test\/files\/2026112013\/file_\w{26}\.webp\?/)
    const { status, body } = await ask(files, url)
    expect(status).toBe(200)
    const stream = body as { next(): Promise<Uint8Array>; ended: boolean }
    expect(Buffer.from(await stream.next()).toString()).toBe('ab')
    expect(stream.ended).toBe(true)
    await files.close()
  })

  test('more than 512 at once are too many, and places come back', async () => {
    const files = filesWith()
    const { url } = await files.port.save(Buffer.alloc(300_000), 'image/webp', NOW_MS + HOUR_MS)
    const answers = await Promise.all(Array.from({ length: 513 }, () => ask(files, url)))
    expect(answers.map(({ status }) => status).filter((status) => status === 503).length).toBe(1)
    for (const { body } of answers) (body as { cancel?(): void }).cancel?.()
    const retried = await ask(files, url)
    expect(retried.status).toBe(200)
    ;(retried.body as { cancel?(): void }).cancel?.()
    await files.close()
  })

  test('a store that fails is a 503, whose cause the log has', async () => {
    const lines: unknown[] = []
    const failingStore = { ...store, open: async () => Promise.reject(Object.assign(new Error('/secret/path'), { code: 'EIO' })) }
    const files = filesWith({
      store: failingStore as unknown as FileStore,
      log: { ...pino({ level: 'silent' }), warn: (fields: object) => void lines.push(fields) } as unknown as FilesParts['log'],
    })
    const { url } = await filesWith().port.save(Buffer.from('x'), 'image/webp', NOW_MS + HOUR_MS)
    const answer = await ask(files, url)
    expect(answer.status).toBe(503)
    expect(String(answer.body)).not.toContain('secret')
    expect(JSON.stringify(lines)).toContain('EIO')
    await files.close()
  })

  test('one that keeps nothing is a 503, and the log says which it is', async () => {
    const lines: unknown[] = []
    const failingStore = {
      location: 'results at s3.example',
      put: async () => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })),
    }
    const files = filesWith({
      store: failingStore as unknown as FileStore,
      log: { ...pino({ level: 'silent' }), error: (fields: object) => void lines.push(fields) } as unknown as FilesParts['log'],
    })
    await expect(files.port.save(Buffer.from('x'), 'image/webp', NOW_MS + HOUR_MS)).rejects.toMatchObject({
      condition: 'unavailable',
    })
    expect(lines).toEqual([{ error: 'ECONNREFUSED', store: 'results at s3.example' }])
    await files.close()
  })
})

describe('removing before the time', () => {
  const lines: unknown[] = []
  const media = (nowMs = NOW_MS, from: FileStore = store) =>
    createMedia(
      async () => from,
      FILE_KEY,
      { warn: (fields) => void lines.push(fields) },
      () => nowMs,
    )
  const storeFile = async () => {
    const name = newName(NOW_MS + HOUR_MS)
    await store.put(name, Buffer.from('x'))
    return { name, url: signUrl('https://gate.test/base', FILE_KEY, name, NOW_MS + HOUR_MS) }
  }

  test('takes the file of an address of ours, once or twice, and no other', async () => {
    const [one, two] = [await storeFile(), await storeFile()]
    expect(await media().remove([one.url, one.url])).toBe(0)
    expect(await store.open(one.name)).toBeNull()
    expect(await contentOf(store, two.name)).not.toBeNull()
  })

  test('goes on after one that its store does not give up, which the log has', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, storeFile))
    const stuckName = all[3]?.name
    const remove = async (name: string) => {
      if (name === stuckName) throw new Error('slow down')
      await store.remove(name)
    }
    const stuckStore = Object.assign(Object.create(store), { remove }) as FileStore
    expect(await media(NOW_MS, stuckStore).remove(all.map(({ url }) => url))).toBe(1)
    const remainingNames = await Promise.all(all.map(async ({ name }) => ((await contentOf(store, name)) === null ? [] : [name])))
    expect(remainingNames.flat()).toEqual([stuckName])
    expect(JSON.stringify(lines)).toContain('slow down')
  })

  test('leaves what an address without our signature names, and what is none', async () => {
    const { name, url } = await storeFile()
    const forged = signUrl('https://gate.test', Buffer.alloc(32, 9), name, NOW_MS + HOUR_MS)
    const signature = new URL(url).searchParams.get('signature')
    await media().remove([
      forged,
      'nothing',
      `https://gate.test/files/${name}`,
      `https://gate.test/files/../${name}?expires=1&signature=${signature}`,
      url.replace(/signature=./, 'signature=_'),
    ])
    await media(NOW_MS + 2 * HOUR_MS).remove([url])
    expect(await contentOf(store, name)).not.toBeNull()
  })
})
