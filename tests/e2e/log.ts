import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** How many gateways the tests run against side by side, each for one worker. */
export const LANES = 2

/** Where the first of them listens; the others follow. */
export const BASE_PORT = Number(process.env.E2E_PORT ?? 3977)

/** Where this worker's gateway listens. */
export const PORT = BASE_PORT + Number(process.env.TEST_PARALLEL_INDEX ?? 0)

/** What the gateway at a port writes to its standard output. */
export const logFile = (port: number): string => join(tmpdir(), `tollgate-e2e-${port}.log`)

/** The newest link in a mail to somebody, of those that lead to a page. */
export async function mailedLink(to: string, page: string): Promise<string> {
  const find = async () => {
    const lines = (await readFile(logFile(PORT), 'utf8')).split('\n').filter((line) => line.startsWith('{'))
    const mails = lines.map((line) => JSON.parse(line) as { to?: string; text?: string }).filter((mail) => mail.to === to)
    const links = mails.flatMap(({ text = '' }) => text.match(/http\S+/g) ?? [])
    return links.findLast((link) => new URL(link).pathname === page) ?? ''
  }
  await expect.poll(find).not.toBe('')
  return find()
}
