import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Settlement } from '../../domain/settlement.ts'
import { Outbox } from './outbox.ts'

const settlement = { id: 'req_1', at: new Date(5), holdNano: 7n, receipt: { lines: [{ amount: 3n }] } } as unknown as Settlement

let dir: string
let failures: string[]
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'tollgate-undelivered-')), 'voids')
  failures = []
})
afterEach(() => rm(join(dir, '..'), { recursive: true, force: true }))

const open = (post: (item: Settlement) => Promise<unknown>, at = dir) =>
  new Outbox<Settlement>({ dir: at, suffix: '.void', post, onFailed: (error, id) => failures.push(`${id} ${String(error)}`) })

describe('voids on their way', () => {
  it('are kept before they are posted, and forgotten when they are', async () => {
    let posted = () => {}
    const post = () =>
      new Promise<void>((resolve) => {
        posted = resolve
      })
    await open(post).add(settlement)
    expect(await readdir(dir)).toEqual(['req_1.void'])
    posted()
    await expect.poll(() => readdir(dir)).toEqual([])
    expect(failures).toEqual([])
  })

  it('are posted by the next process, money and times and all, where one died', async () => {
    await open(() => new Promise(() => {})).add(settlement)
    await writeFile(join(dir, 'req_2.void.new'), 'half of one')
    await writeFile(join(dir, 'req_3.void.new'), 'half of one, from long ago')
    await utimes(join(dir, 'req_3.void.new'), new Date(), new Date(Date.now() - 3_600_000))
    const seen: Settlement[] = []
    await open(async (item) => void seen.push(item)).deliverPending()
    expect(seen).toEqual([settlement])
    // Another process may be writing it at this moment. One that was left long ago will never be finished.
    expect(await readdir(dir)).toEqual(['req_2.void.new'])
  })

  it('share a folder with other outboxes, and are posted by a shorter way where there is one', async () => {
    await open(() => new Promise(() => {})).add(settlement)
    const seen: string[] = []
    const tasks = new Outbox<{ id: string }>({
      dir,
      suffix: '.task',
      post: async ({ id }) => void seen.push(id),
      onFailed: (error) => failures.push(String(error)),
    })
    await tasks.add({ id: 'task_1' }, async () => void seen.push('shorter'))
    await tasks.add({ id: 'task_2' }, () => Promise.reject(new Error('no')))
    await expect.poll(() => readdir(dir)).toEqual(['req_1.void', 'task_2.task'])
    await tasks.deliverPending()
    expect([seen, failures, await readdir(dir)]).toEqual([['shorter', 'task_2'], ['Error: no'], ['req_1.void']])
  })

  it('stay where the database does not take them', async () => {
    await open(() => Promise.reject(new Error('no'))).add(settlement)
    await expect.poll(() => failures).toEqual(['req_1 Error: no'])
    expect(await readdir(dir)).toEqual(['req_1.void'])
  })

  it('leave no half of one where they cannot be kept', async () => {
    // A directory already has the name, so it cannot be replaced.
    await mkdir(join(dir, 'req_1.void', 'taken'), { recursive: true })
    await open(() => new Promise(() => {})).add(settlement)
    expect(failures).toHaveLength(1)
    expect(await readdir(dir)).toEqual(['req_1.void'])
  })

  it('are posted even if they cannot be kept', async () => {
    await writeFile(dir, 'a file where the folder should be')
    const seen: Settlement[] = []
    await open(async (item) => void seen.push(item)).add(settlement)
    expect(seen).toEqual([settlement])
    expect(failures.length).toBe(1)
  })

  it('that cannot be read are told, and keep no other one back', async () => {
    await open(() => new Promise(() => {})).add(settlement)
    await writeFile(join(dir, 'req_0.void'), 'no such thing')
    const seen: Settlement[] = []
    await open(async (item) => void seen.push(item)).deliverPending()
    expect([seen.length, failures.length, await readdir(dir)]).toEqual([1, 1, ['req_0.void']])
  })

  it('are none where there is no folder', async () => {
    await open(() => Promise.reject(new Error('never'))).deliverPending()
    expect(failures).toEqual([])
  })
})
