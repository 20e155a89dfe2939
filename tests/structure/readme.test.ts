import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VARIABLES } from '#lib/env'
import manifest from '../../package.json' with { type: 'json' }

const files = globSync('{README.md,{app,components,lib,tests}/**/README.md}')
const pages = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

/** The anchor of a heading in an address. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const anchorsOf = (text: string): string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

describe.each([...pages])('%s', (file, text) => {
  it('leads nowhere but to what is there', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, to = '']) => to)
    const broken = links.filter((to) => {
      const [path = '', anchor] = to.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      if (!existsSync(target)) return true
      const page = pages.get(target) ?? pages.get(join(target, 'README.md'))
      return anchor !== undefined && !anchorsOf(page ?? '').includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it('names commands that there are, and those that write a file without what npm prints above', () => {
    const commands = [...text.matchAll(/npm run (?:--silent )?(\w[\w:-]*)/g)].map(([, name = '']) => name)
    expect(commands.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([])
    expect(text).not.toMatch(/npm run (?!--silent)[^`\n]* > /)
  })
})

const sources = globSync('{app,components,lib,prisma,tests}/**/*.{ts,tsx,sql}', { exclude: ['lib/store/generated'] })

it.each([...pages])('%s names files that there are', (file, text) => {
  const named = [...text.matchAll(/`([\w./[\]-]+\.(?:tsx?|sql))`/g)].map(([, name = '']) => name)
  const known = (name: string): boolean =>
    existsSync(name) || existsSync(join(dirname(file), name)) || sources.some((source) => source.endsWith(`/${name}`))
  expect(named.filter((name) => !known(name))).toEqual([])
})

it.each(['gateway', 'gateway/tasks', 'files', 'ledger', 'wire'])('the table of lib/%s has every file of its folder', (folder) => {
  const table = pages.get(`lib/${folder}/README.md`) ?? ''
  const own = globSync(`lib/${folder}/*.ts`).map((file) => basename(file))
  expect(own.filter((name) => !name.endsWith('.test.ts') && !table.includes(`\`${name}\``))).toEqual([])
})

it('the table of settings has every variable that is read, and no other', () => {
  const text = pages.get('README.md') ?? ''
  const table = text.slice(text.indexOf('## Settings'), text.indexOf('## Several processes'))
  const documented = new Set([...table.matchAll(/`([A-Z][A-Z0-9_]{3,})`/g)].map(([, name]) => name))
  // Set by npm and by the gateway's own first process, or other addresses of vendors, which the table describes together.
  const undocumented = /^(NODE_ENV|TOLLGATE_\w+|\w+_BASE_URL)$/
  expect(VARIABLES.filter((name) => !documented.has(name) && !undocumented.test(name))).toEqual([])
  expect([...documented].filter((name) => !VARIABLES.includes(name ?? ''))).toEqual([])
})
