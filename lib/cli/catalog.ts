import { readFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { catalogFile } from '../contracts/catalog-file.ts'
import { makeId } from '../host/make-id.ts'
import { applyChanges } from '../services/operator/apply-changes.ts'
import { exportCatalog } from '../services/operator/export-catalog.ts'
import { planCatalog } from '../services/operator/plan-catalog.ts'
import { asServiceError } from '../services/service-error.ts'
import { reasonOf } from '../setup/error-reason.ts'
import { createCatalogReads } from '../store/operator/catalog-reads.ts'
import { createCatalogWrites } from '../store/operator/catalog-writes.ts'
import { COMMAND_LINE_USER, openSecrets, withDatabase } from './database.ts'

const USAGE = `Usage: npm run --silent catalog -- export > catalog.yaml
       npm run catalog -- diff catalog.yaml
       npm run catalog -- apply catalog.yaml`

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`)
  }
}

/** Reads and parses a catalog file. Throws an error that says where in the file something is wrong. */
async function readCatalogFile(path: string) {
  const parsed = catalogFile.safeParse(parseYaml(path, await readFile(path, 'utf8')) ?? {})
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `${path}: ${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new Error(lines.join('\n'))
}

/** The verb, with the contents of the file if there is one. */
async function parseArguments([verb = '', path = '', ...more]: string[]) {
  if (more.length > 0 || path.startsWith('-')) return null
  if (verb === 'export') return path === '' ? { verb, file: null } : null
  if (path === '' || (verb !== 'diff' && verb !== 'apply')) return null
  return { verb, file: await readCatalogFile(path) }
}

await withDatabase({ usage: USAGE, parseArguments }, async ({ input: { verb, file }, pool, env }) => {
  const { credentials } = await openSecrets(pool, env)
  const ctx = {
    user: COMMAND_LINE_USER,
    catalogReads: createCatalogReads(pool),
    catalogWrites: createCatalogWrites(pool),
    clock: { now: () => new Date() },
    ids: { create: (prefix: string) => makeId(prefix, Date.now()) },
    sealing: credentials,
    env: (name: string) => process.env[name],
  }
  if (file === null) {
    process.stdout.write(stringify(await exportCatalog({ ctx }), { lineWidth: 0 }))
    return 0
  }
  try {
    const steps = await planCatalog({ ctx, input: file })
    process.stdout.write(steps.length === 0 ? 'The catalog matches the file.\n' : `${steps.map(({ line }) => line).join('\n')}\n`)
    if (verb === 'diff') return steps.length === 0 ? 0 : 2
    if (steps.length > 0)
      await applyChanges(
        ctx,
        steps.map(({ change }) => change),
      )
    return 0
  } catch (error) {
    const known = asServiceError(error)
    throw known ? new Error(`${known.field ? `${known.field}: ` : ''}${known.message}`) : error
  }
})
