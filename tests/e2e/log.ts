import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** How many gateways the tests run against in parallel, one for each worker. */
export const GATEWAY_COUNT = 2

/** The port of the first gateway. The others follow. */
export const BASE_PORT = Number(process.env.E2E_PORT ?? 3977)

/** The port of this worker's gateway. */
export const PORT = BASE_PORT + Number(process.env.TEST_PARALLEL_INDEX ?? 0)

/** The file with the standard output of the gateway at a port. */
export const logFile = (port: number): string => join(tmpdir(), `tollgate-e2e-${port}.log`)

/** The newest link to a page in the mails to somebody. */
export async function findMailedLink(to: string, page: string): Promise<string> {
  const find = async () => {
    const lines = (await readFile(logFile(PORT), 'utf8')).split('\n').filter((line) => line.startsWith('{'))
    const mails = lines.map((line) => JSON.parse(line) as { to?: string; text?: string }).filter((mail) => mail.to === to)
    const links = mails.flatMap(({ text = '' }) => text.match(/http\S+/g) ?? [])
    return links.findLast((link) => new URL(link).pathname === page) ?? ''
  }
  await expect.poll(find).not.toBe('')
  return find()
}
