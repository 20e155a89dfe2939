import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SOURCES = [
  'app',
  'components',
  'lib',
  'public',
  'next.config.js',
  'proxy.ts',
  'instrumentation-client.ts',
  'package.json',
  'package-lock.json',
  'postcss.config.mjs',
]
const BUILD_STAMP_PATH = '.next/built-from'

/**
 * Two digests of everything that the console is built from: one of sizes and modification times, which is quick, and one of
 * contents.
 */
const digests = {
  ofMetadata: async (path: string): Promise<string> => {
    const { size, mtimeMs } = await stat(path)
    return `${path} ${size} ${mtimeMs}\n`
  },
  ofContent: async (path: string): Promise<string> =>
    `${path} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}\n`,
}

async function digest(digestFile: (path: string) => Promise<string>): Promise<string> {
  const hash = createHash('sha256')
  const add = async (path: string): Promise<void> => {
    const info = await stat(path).catch(() => null)
    // Tests are not part of the build.
    if (!info || path.includes('.test.')) return
    if (!info.isDirectory()) {
      hash.update(await digestFile(path))
      return
    }
    for (const name of (await readdir(path)).sort()) await add(join(path, name))
  }
  for (const source of SOURCES) await add(source)
  return hash.digest('hex')
}

/** Builds the console if it is not built yet, or was built from other sources. Takes about a minute. */
export async function buildConsoleIfStale(printLine: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const metadataDigest = await digest(digests.ofMetadata)
  const [builtMetadataDigest, builtContentDigest] = (await readFile(BUILD_STAMP_PATH, 'utf8').catch(() => '')).split('\n')
  if (metadataDigest === builtMetadataDigest) return
  // After a copy, into an image or out of one, the same files can have other times.
  const contentDigest = await digest(digests.ofContent)
  const isUnchanged = contentDigest === builtContentDigest
  if (!isUnchanged) await build(printLine, signal)
  // If the file cannot be written, the next start compares again.
  await writeFile(BUILD_STAMP_PATH, `${metadataDigest}\n${contentDigest}\n`).catch((error: unknown) => {
    if (!isUnchanged) throw error
  })
}

async function build(printLine: (line: string) => void, signal: AbortSignal | undefined): Promise<void> {
  printLine('Building the console. This takes a minute or two, once.')
  const output: Buffer[] = []
  const child = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  })
  child.stdout.on('data', (data: Buffer) => output.push(data))
  child.stderr.on('data', (data: Buffer) => output.push(data))
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`The console could not be built:\n${Buffer.concat(output).toString('utf8').slice(-4000)}`)
}
