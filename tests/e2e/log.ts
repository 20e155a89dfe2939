import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** Where the gateway under test listens: each shard of a run has one of its own. */
export const PORT = Number(process.env.E2E_PORT ?? 3977) + Number(process.env.E2E_SHARD ?? 0)

/** What it writes to its standard output. */
export const LOG_FILE = join(tmpdir(), `tollgate-e2e-${PORT}.log`)

/** The newest link in a mail to somebody, of those that lead to a page. */
export async function mailedLink(to: string, page: string): Promise<string> {
  const find = async () => {
    const lines = (await readFile(LOG_FILE, 'utf8')).split('\n').filter((line) => line.startsWith('{'))
    const mails = lines.map((line) => JSON.parse(line) as { to?: string; text?: string }).filter((mail) => mail.to === to)
    const links = mails.flatMap(({ text = '' }) => text.match(/http\S+/g) ?? [])
    return links.findLast((link) => new URL(link).pathname === page) ?? ''
  }
  await expect.poll(find).not.toBe('')
  return find()
}
