import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mountSmallDisk } from '../chaos/small-disk.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const MIB = 1024 * 1024
const BOUNDARY = 'integration-boundary'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const WAV_HEADER = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(48)])
const TAIL = `\r\n--${BOUNDARY}--\r\n`

const fileHead = (name: string, filename: string): Buffer =>
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\na/b\r\n` +
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`,
  )

interface Relay extends AsyncDisposable {
  url: string
  dataDir: string
  child: ChildProcess
  readStats(): Promise<{ rss: number; peak: number; usedBytes: number; running: number }>
  /** Files in the spool. */
  files(): Promise<string[]>
}

async function startRelay(env: Record<string, string>, existingDataDir?: string): Promise<Relay> {
  const dataDir = existingDataDir ?? (await mkdtemp(join(tmpdir(), 'tollgate-forms-')))
  const child = fork('tests/fakes/form-relay.ts', { env: { ...process.env, DATA_DIR: dataDir, ...env }, execArgv: [] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    child,
    async readStats() {
      child.send('?')
      return (await once(child, 'message'))[0]
    },
    async files() {
      const entries = await readdir(join(dataDir, 'spool'), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      if (!existingDataDir) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void
let handle: Handler = () => undefined
const vendor = createServer((incoming, outgoing) => {
  incoming.on('error', () => undefined)
  handle(incoming, outgoing)
})
let relay: Relay
let vendorUrl = ''

beforeAll(async () => {
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
  vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
  relay = await startRelay({ VENDOR: vendorUrl })
})
afterAll(async () => {
  await relay?.[Symbol.asyncDispose]()
  vendor.closeAllConnections()
  vendor.close()
})

/** A vendor that reads a body at this many bytes a second, and answers with what it read. */
const createDigestHandler =
  (bytesPerSecond = Number.POSITIVE_INFINITY): Handler =>
  async (incoming, outgoing) => {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of incoming) {
      hash.update(chunk)
      bytes += chunk.length
      if (bytesPerSecond < Number.POSITIVE_INFINITY) await sleep((chunk.length / bytesPerSecond) * 1000)
    }
    const { 'content-type': type, 'content-length': length, 'x-secret': secret } = incoming.headers
    outgoing.end(JSON.stringify({ bytes, sha256: hash.digest('hex'), type, length: Number(length), secret }))
  }

interface SendFormOptions {
  path?: string
  head?: Buffer
  bytes: number
  /** Bytes of the file that are not sent. */
  withhold?: number
  chunked?: boolean
  account?: string
}

/** Sends a form whose file is generated as it is sent. Resolves with the answer, however early it comes. */
async function sendForm({
  path = '/v1/forms',
  head = fileHead('file', 'a.wav'),
  bytes,
  withhold = 0,
  chunked,
  account = 'acc_1',
}: SendFormOptions) {
  const length = head.length + bytes + TAIL.length
  const out = request(relay.url + path, {
    method: 'POST',
    // Without keep-alive a server hangs up after its answer, and data still in transit turns that into a reset.
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': TYPE, 'x-account': account, ...(chunked ? {} : { 'content-length': length }) },
  })
  const answered = once(out, 'response') as Promise<[IncomingMessage]>
  let isAnswered = false
  answered.then(
    () => (isAnswered = true),
    () => (isAnswered = true),
  )
  out.on('error', () => (isAnswered = true))
  out.write(head)
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < bytes - withhold && !isAnswered; sent += piece.length) {
    const part = Buffer.from(piece.subarray(0, Math.min(piece.length, bytes - withhold - sent)))
    if (sent === 0) WAV_HEADER.copy(part, 0, 0, Math.min(WAV_HEADER.length, part.length))
    if (!out.write(part)) await Promise.race([once(out, 'drain'), answered])
  }
  if (withhold === 0) out.end(TAIL)
  return { out, answered }
}

async function answerOf({ answered, out }: Awaited<ReturnType<typeof sendForm>>) {
  const [answer] = await answered
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  out.destroy()
  return { status: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) }
}

const expectEmptySpool = () =>
  expect
    .poll(async () => ({ ...(await relay.readStats()), files: (await relay.files()).length }), { timeout: 5000 })
    .toMatchObject({ usedBytes: 0, running: 0, files: 0 })

/** Files of the spool that the relay has open. */
async function openFiles(): Promise<number> {
  const dir = `/proc/${relay.child.pid}/fd`
  const links = await Promise.all((await readdir(dir)).map((fd) => readlink(join(dir, fd)).catch(() => '')))
  return links.filter((link) => link.includes('/spool/')).length
}

describe('a large file', () => {
  test.each(['/v1/forms', '/web'])(
    'of 100 MB goes through %s to a vendor slower than its sender, and never sits in memory',
    async (path) => {
      handle = createDigestHandler()
      // Warms up first, so that reusable buffers and garbage that is not collected yet are part of the baseline.
      for (let n = 0; n < 3; n++) expect((await answerOf(await sendForm({ path, bytes: 20 * MIB }))).status).toBe(200)
      const before = (await relay.readStats()).rss
      handle = createDigestHandler(60 * MIB)
      const answer = await answerOf(await sendForm({ path, bytes: 100 * MIB, chunked: path === '/web' }))
      expect(answer.status, answer.text).toBe(200)
      const { bytes, length, type, secret } = answer.json()
      expect({ bytes: bytes === length, large: bytes > 100 * MIB, secret }).toEqual({ bytes: true, large: true, secret: 's' })
      expect(type).toMatch(/^multipart\/form-data; boundary=tollgate-/)
      const { peak } = await relay.readStats()
      // Kept in memory, it would be more than 140.
      expect((peak - before) / MIB).toBeLessThan(60)
      await expectEmptySpool()
    },
    60_000,
  )

  test('lies in a file that nobody else may read, while it is needed', async () => {
    let seen: string[] = []
    handle = async (incoming, outgoing) => {
      seen = await relay.files()
      createDigestHandler()(incoming, outgoing)
    }
    expect((await answerOf(await sendForm({ bytes: 2 * MIB }))).status).toBe(200)
    expect(seen.length).toBe(1)
    await expectEmptySpool()
    const [ownDir] = await readdir(join(relay.dataDir, 'spool'))
    expect((await stat(join(relay.dataDir, 'spool', ownDir ?? ''))).mode & 0o777).toBe(0o700)
  })

  test('of a vendor that answers before it has all of it is sent no further', async () => {
    let receivedBytes = 0
    handle = (incoming, outgoing) => {
      incoming.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length
      })
      incoming.once('data', () => {
        incoming.pause()
        // It does not hang up at once, like servers that want their answer to be read.
        outgoing.writeHead(413, { 'content-length': 9 }).end('too large')
      })
    }

    const answer = await answerOf(await sendForm({ bytes: 60 * MIB }))
    expect([answer.status, answer.text]).toEqual([413, 'too large'])
    expect(receivedBytes).toBeLessThan(10 * MIB)
    await expectEmptySpool()
    expect(await openFiles()).toBe(0)
  })

  test('is closed where the vendor breaks off', async () => {
    handle = (incoming) => incoming.once('data', () => incoming.destroy())
    expect((await answerOf(await sendForm({ bytes: 20 * MIB }))).status).toBe(599)
    await expectEmptySpool()
    expect(await openFiles()).toBe(0)
  })

  test('is closed where the client leaves while the vendor takes it', async () => {
    let markBegun: () => void = () => undefined
    const beginning = new Promise<void>((resolve) => {
      markBegun = resolve
    })
    handle = (incoming) =>
      incoming.once('data', () => {
        incoming.pause()
        markBegun()
      })
    const sending = await sendForm({ bytes: 20 * MIB })
    sending.answered.catch(() => undefined)
    await beginning
    await expect.poll(openFiles).toBe(1)
    sending.out.destroy()
    await expectEmptySpool()
    expect(await openFiles()).toBe(0)
  })
})

describe('a sender', () => {
  test.each(['/v1/forms', '/web'])('that leaves in mid-upload leaves nothing behind (%s)', async (path) => {
    const sending = await sendForm({ path, bytes: 30 * MIB, withhold: 10 * MIB })
    sending.answered.catch(() => undefined)
    await expect.poll(() => relay.files()).toHaveLength(1)
    sending.out.destroy()
    await expectEmptySpool()
  })

  test('that stalls is ended', async () => {
    const answer = await answerOf(await sendForm({ bytes: 30 * MIB, withhold: 10 * MIB }))
    expect([answer.status, answer.json().error.code]).toEqual([408, 'upload_too_slow'])
    await expectEmptySpool()
  })

  test('of what is too large is told so before all of it is here', async () => {
    const answer = await answerOf(await sendForm({ bytes: 190 * MIB, chunked: true }))
    expect([answer.status, answer.json().error.param]).toEqual([413, 'file'])
    await expectEmptySpool()
  })

  test('of 1 GB is told so at once', async () => {
    const answer = await answerOf(await sendForm({ bytes: 1024 * MIB, withhold: 1023 * MIB }))
    expect(answer.status).toBe(413)
    await expectEmptySpool()
  })
})

describe('the connection of a form that is turned down', () => {
  const smallForm = (file: string) =>
    requestBytes({
      path: '/v1/forms',
      headers: [['content-type', TYPE]],
      body: Buffer.concat([fileHead('image', 'x.png'), Buffer.from(file), Buffer.from(TAIL)]),
    })

  test('serves its next request, where the rest of the form comes soon', async () => {
    handle = createDigestHandler()
    const connection = await RawConnection.open(relay.url)
    const refusedForm = smallForm(`no picture ${'x'.repeat(300_000)}`)
    connection.send(refusedForm.subarray(0, 100_000))
    expect((await connection.readAnswer()).error()).toMatchObject({ param: 'image', code: 'invalid_request_error' })
    connection.send(refusedForm.subarray(100_000))
    connection.send(smallForm('\x89PNG'))
    expect((await connection.readAnswer()).status).toBe(400)
    connection.destroy()
    await expectEmptySpool()
  })

  test('is closed, where it does not', async () => {
    const connection = await RawConnection.open(relay.url)
    connection.send(smallForm('no picture at all, and then some more of it'.repeat(10_000)).subarray(0, 200_000))
    expect((await connection.readAnswer()).status).toBe(400)
    await connection.readUntilClosed()
    await expectEmptySpool()
  })
})

test('an account has no more than its share of the spool, and others have theirs', async () => {
  handle = createDigestHandler()
  const first = [1, 2].map(() => sendForm({ bytes: 140 * MIB, withhold: 100_000 }))
  const uploads = await Promise.all(first)
  for (const { answered } of uploads) answered.catch(() => undefined)
  // If one took longer than the other, or the disk is slow, neither may stall meanwhile.
  const drip = setInterval(() => {
    for (const { out } of uploads) out.write('x')
  }, 500)
  const refused = await answerOf(await sendForm({ bytes: 40 * MIB, withhold: 39 * MIB }))
  expect([refused.status, refused.json().error.code, refused.json().error.type]).toEqual([429, 'rate_limit_exceeded', 'requests'])
  expect((await answerOf(await sendForm({ bytes: 40 * MIB, account: 'acc_2' }))).status).toBe(200)
  clearInterval(drip)
  for (const { out } of uploads) out.destroy()
  await expectEmptySpool()
})

/** Checks that there is no room for a file of 8 MiB, and that nothing of it stays. */
async function expectFull(fullRelay: Relay): Promise<void> {
  const originalRelay = relay
  relay = fullRelay
  try {
    const answer = await answerOf(await sendForm({ bytes: 8 * MIB, chunked: true }))
    expect([answer.status, answer.json().error.code]).toEqual([503, 'service_unavailable'])
    await expectEmptySpool()
    handle = createDigestHandler()
    expect((await answerOf(await sendForm({ bytes: 2 * MIB }))).status).toBe(200)
  } finally {
    relay = originalRelay
    await fullRelay[Symbol.asyncDispose]()
  }
}

test('a spool that is full is a 503, and what fits is still taken', async () => {
  await expectFull(await startRelay({ VENDOR: vendorUrl, SPOOL_BYTES: String(4 * MIB) }))
})

test('a disk that is full is a 503 too, and has nothing of it left', async ({ skip }) => {
  const disk = await mountSmallDisk('4m')
  if (!disk) return skip('only a user who may mount can make a small disk')
  try {
    await expectFull(await startRelay({ VENDOR: vendorUrl }, disk.dir))
  } finally {
    disk.unmount()
    await rm(disk.dir, { recursive: true, force: true })
  }
})

test('what a process leaves that is killed, the next one removes, and nothing of one that lives', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-forms-'))
  const originalRelay = relay
  const survivingRelay = await startRelay({ VENDOR: vendorUrl }, dataDir)
  const killedRelay = await startRelay({ VENDOR: vendorUrl }, dataDir)
  try {
    relay = killedRelay
    const sending = await sendForm({ bytes: 5 * MIB, withhold: MIB })
    sending.answered.catch(() => undefined)
    await expect.poll(() => relay.files()).toHaveLength(1)
    await mkdir(join(dataDir, 'spool', 'elsewhere~1~x'))
    await writeFile(join(dataDir, 'spool', 'elsewhere~1~x', 'y'), 'z')
    await killedRelay[Symbol.asyncDispose]()
    await using next = await startRelay({ VENDOR: vendorUrl }, dataDir)
    expect((await next.files()).map((path) => path.includes('elsewhere'))).toEqual([true])
    const folders = (await readdir(join(dataDir, 'spool'))).map((name) => name.split('~')[1])
    expect(folders.toSorted()).toEqual(['1', String(survivingRelay.child.pid), String(next.child.pid)].toSorted())
  } finally {
    relay = originalRelay
    await survivingRelay[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  }
})
