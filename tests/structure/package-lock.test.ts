import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Lock = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
})

/** The folder whose node_modules contains a package: its dependencies are looked for there next. */
const parentPathOf = (place: string): string => place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))

// When npm writes the lock of a tree that was installed on one platform, it leaves out what other platforms need.
test('the lock names what packages need on every platform', async () => {
  const { packages } = Lock.parse(JSON.parse(await readFile('package-lock.json', 'utf8')))
  const has = (place: string, name: string): boolean =>
    `${place}${place && '/'}node_modules/${name}` in packages || (place !== '' && has(parentPathOf(place), name))
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !has(place, name)),
  )
  expect(missing).toEqual([])
})
