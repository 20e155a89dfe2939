import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { API } from '../../lib/wire/api.ts'

/** A route's folder as OpenAPI writes the address. */
const addressOf = (file: string): string =>
  `/v1/${file
    .replace(/\/route\.ts$/, '')
    .split('/')
    .map((part) => part.replace(/^\[(?:\.\.\.)?(\w+)\]$/, '{$1}'))
    .join('/')}`

describe('the addresses of the API', () => {
  it('are those that its document lists', async () => {
    const files = await readdir('app/v1', { recursive: true })
    const routes = files.filter((file) => file.endsWith('/route.ts') && !file.startsWith('[['))
    expect([...new Set(API.map(({ path }) => path))].sort()).toEqual(routes.map(addressOf).sort())
  })
})
