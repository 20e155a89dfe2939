import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('no test mocks a module, because the next file of its worker would get the mock too', async () => {
  const mocking: string[] = []
  for await (const file of glob('{lib,components,app,tests}/**/*.test.{ts,tsx}'))
    if (/\bvi\.(mock|doMock)\(/.test(await readFile(file, 'utf8'))) mocking.push(file)
  expect(mocking).toEqual([])
})
