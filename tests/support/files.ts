import { join } from 'node:path'
import { HOUR_MS } from '#lib/domain/time-units'
import { DiskStore } from '#lib/files/disk'
import { fileNameOf, signUrl } from '#lib/files/names'
import { makeId } from '#lib/host/make-id'
import { deriveSecrets } from '#lib/setup/secrets'
import { TEST_SECRET_KEY } from './fixtures.ts'
import type { TestGateway } from './gateway.ts'

/** The key with which test gateways sign the addresses of files. */
export const FILE_KEY = deriveSecrets(TEST_SECRET_KEY).files

/** Stores a file where a gateway stores its own. Returns its name and its address there. */
export async function addFile(
  gateway: Pick<TestGateway, 'url' | 'dataDir'>,
  content: Uint8Array,
  options: { type?: string; untilMs?: number; name?: string } = {},
): Promise<{ name: string; url: string; path: string }> {
  const { type = 'image/png', untilMs = Date.now() + HOUR_MS } = options
  const name = options.name ?? fileNameOf(makeId('file', Date.now()), type, untilMs)
  await new DiskStore(join(gateway.dataDir, 'files')).put(name, content)
  return { name, ...signedUrl(gateway.url, name, untilMs) }
}

/** The address and path (with the query) of a file name, whether or not the file exists. */
export function signedUrl(url: string, name: string, untilMs = Date.now() + HOUR_MS): { url: string; path: string } {
  const address = signUrl(url, FILE_KEY, name, untilMs)
  return { url: address, path: address.slice(url.length) }
}
