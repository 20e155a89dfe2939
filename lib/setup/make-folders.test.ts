import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeFolders } from './make-folders.ts'

const other = vi.hoisted(() => ({ makes: false }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const looked = (path: string) => {
    if (other.makes) fs.mkdirSync(path, { recursive: true })
    return fs.existsSync(path)
  }
  return { ...fs, existsSync: looked }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-folders-'))
})
afterEach(() => {
  other.makes = false
  rmSync(folder, { recursive: true })
})

it('makes what is missing, and takes what is there', () => {
  const path = join(folder, 'a', 'b', 'c')
  makeFolders(path)
  makeFolders(path)
  expect(statSync(path).isDirectory()).toBe(true)
})

it('goes on where another process makes the folders above at the same moment', () => {
  other.makes = true
  const path = join(folder, 'a', 'b', 'c')
  makeFolders(path)
  expect(existsSync(path)).toBe(true)
})

it('says what the system says of a file in the way', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => makeFolders(file)).toThrow(/EEXIST/)
  expect(() => makeFolders(join(file, 'below'))).toThrow(/ENOTDIR/)
})
