import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { countTokens } from '../gateway/count-tokens.ts'
import { TokenCounter } from './token-counter.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-threads-'))
afterAll(() => rmSync(folder, { recursive: true }))

const failures: unknown[] = []
const onFailure = (error: unknown) => void failures.push(error)

/** Writes a thread with another program. Returns its path relative to the project. */
function threadOf(program: string): string {
  const path = join(folder, `${Math.random()}.mjs`)
  writeFileSync(path, program)
  return relative(process.cwd(), path)
}

test('counts what is counted here, many at a time, each its own', async () => {
  const counter = new TokenCounter({ onFailure })
  const texts = ['Hello', '', 'A heron stands in the reeds.', '鹭站在芦苇里', 'x'.repeat(5_000)]
  const counted = await Promise.all(texts.map((text) => counter.count(text)))
  expect(counted).toEqual(await Promise.all(texts.map(countTokens)))
  expect(counted[1]).toBe(0)
  expect(failures).toEqual([])
})

test('the thread goes when nobody asks, and comes again', async () => {
  const counter = new TokenCounter({ onFailure, idleMs: 50 })
  expect(counter.running).toBe(false)
  const first = await counter.count('Hello')
  expect(counter.running).toBe(true)
  await expect.poll(() => counter.running).toBe(false)
  expect(await counter.count('Hello')).toBe(first)
})

test.each([
  ['is not there', 'nowhere.mjs'],
  ['cannot begin', threadOf('throw new Error("no")')],
  [
    'dies under its work',
    threadOf("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(1))"),
  ],
])('what a thread owes that %s is counted here', async (_how, workerPath) => {
  const counter = new TokenCounter({ onFailure, workerPath })
  const [one, two] = await Promise.all([counter.count('Hello'), counter.count('Hello there, heron')])
  expect([one, two]).toEqual([await countTokens('Hello'), await countTokens('Hello there, heron')])
  expect(counter.running).toBe(false)
})
