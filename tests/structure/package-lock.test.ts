import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Lock = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
})

/** The folder whose node_modules contains a package: its dependencies are looked for there next. */
const parentPathOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1))

// When npm writes the lock of a tree that was installed on one platform, it leaves out what other platforms need.
test('the lock names what packages need on every platform', async () => {
  const { packages } = Lock.parse(JSON.parse(await readFile('package-lock.json', 'utf8')))
  const hasPackage = (path: string, name: string): boolean =>
    `${path}${path && '/'}node_modules/${name}` in packages || (path !== '' && hasPackage(parentPathOf(path), name))
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !hasPackage(path, name)),
  )
  expect(missing).toEqual([])
})
