import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEnv } from '../env.ts'
import { findFirstStartFile, formatBanner } from './prepare.ts'

it('the banner names the address that clients use', () => {
  const first = { email: 'o@localhost', password: 'p', apiKey: 'sk-tg-1' }
  expect(formatBanner(readEnv({ PORT: '41234' }), null, null)).toContain('Tollgate serves http://localhost:41234\n')
  const env = readEnv({ PUBLIC_URL: 'HTTPS://Gate.example.com/' })
  expect(formatBanner(env, null, null)).toContain('https://gate.example.com\n')
  expect(formatBanner(env, first, null)).toContain('https://gate.example.com/v1\n')
})

it('the banner of a gateway without a console says where the sign-in is good, and keeps it', () => {
  const first = { email: 'o@localhost', password: 'p', apiKey: 'sk-tg-1' }
  expect(formatBanner(readEnv({ ROLE: 'gateway' }), first, null)).toMatch(
    /Operator email {3}o@localhost {2}signs in to the console, .*ROLE=console serves\nPassword {9}p\n/,
  )
  for (const ROLE of ['all', 'console'])
    expect(formatBanner(readEnv({ ROLE }), first, null)).toMatch(/Operator email {3}o@localhost\nPassword {9}p\n/)
})

it('the banner of a later start names the file of the first one where there is one', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'tollgate-prepare-'))
  try {
    const env = readEnv({ DATA_DIR })
    expect(formatBanner(env, null, await findFirstStartFile(env))).not.toContain('first API key')
    await writeFile(join(DATA_DIR, 'first-start.txt'), 'x')
    expect(formatBanner(env, null, await findFirstStartFile(env))).toContain(
      `first API key are in ${join(DATA_DIR, 'first-start.txt')}, unless`,
    )
  } finally {
    await rm(DATA_DIR, { recursive: true })
  }
})
