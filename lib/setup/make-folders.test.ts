import fs, { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeFolders } from './make-folders.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-folders-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true })
})

it('makes what is missing, and takes what is there', () => {
  const path = join(folder, 'a', 'b', 'c')
  makeFolders(path)
  makeFolders(path)
  expect(statSync(path).isDirectory()).toBe(true)
})

it('goes on where another process makes the folders above at the same moment', () => {
  const path = join(folder, 'a', 'b', 'c')
  const other = vi.spyOn(fs, 'existsSync').mockImplementation((parent) => {
    fs.mkdirSync(parent, { recursive: true })
    return true
  })
  syncBuiltinESMExports()
  makeFolders(path)
  expect(other).toHaveBeenCalled()
  expect(statSync(path).isDirectory()).toBe(true)
})

it('says what the system says of a file in the way', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => makeFolders(file)).toThrow(/EEXIST/)
  expect(() => makeFolders(join(file, 'below'))).toThrow(/ENOTDIR/)
})
