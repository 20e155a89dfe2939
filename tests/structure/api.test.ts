import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { API } from '../../lib/wire/api.ts'

/** The address of a route's folder, as OpenAPI writes it. */
const apiPathOf = (file: string): string =>
  `/v1/${file
    .replace(/\/route\.ts$/, '')
    .split('/')
    .map((part) => part.replace(/^\[(?:\.\.\.)?(\w+)\]$/, '{$1}'))
    .join('/')}`

describe('the addresses of the API', () => {
  it('are those that its document lists', async () => {
    const files = await readdir('app/v1', { recursive: true })
    const routes: string[] = []
    // A route file that serves nothing has no address.
    for (const file of files.filter((name) => name.endsWith('/route.ts')))
      if ((await readFile(`app/v1/${file}`, 'utf8')).includes('= serve(')) routes.push(file)
    expect([...new Set(API.map(({ path }) => path))].sort()).toEqual(routes.map(apiPathOf).sort())
  })
})
