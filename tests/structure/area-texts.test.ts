import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { AREA_TEXTS } from '../../components/area-texts.ts'

interface Module {
  /** Whether the browser's part of a page begins in it. */
  isClient: boolean
  /** Files of app and components that it loads, at once or later. */
  loads: string[]
  /** Parts of the texts that it uses. */
  parts: string[]
}

interface Node {
  type?: string
  value?: unknown
  typeOnly?: boolean
  source?: { value: string } | null
  callee?: { type: string; value?: string }
  arguments?: { expression: Node }[]
}

/** The file that an import means, or null if it is not one of app and components. */
function resolveImport(from: string, name: string): string | null {
  if (name.startsWith('#components/')) return `components/${name.slice('#components/'.length)}.tsx`
  if (name.startsWith('#app/')) return `app/${name.slice('#app/'.length)}.ts`
  return /^\.\.?\/.*\.tsx?$/.test(name) ? join(dirname(from), name) : null
}

async function readModule(file: string): Promise<Module> {
  const { body } = await parse(await readFile(file, 'utf8'), { syntax: 'typescript', tsx: file.endsWith('x') })
  const [loads, parts] = [new Set<string | null>(), new Set<string>()]
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, source, typeOnly, callee, arguments: args } = node as Node
    if (source && typeOnly !== true) loads.add(resolveImport(file, source.value))
    const first = type === 'CallExpression' ? args?.[0]?.expression.value : undefined
    if (callee?.type === 'Import') loads.add(resolveImport(file, String(first)))
    if (callee?.value === 'useTranslations') parts.add(String(first).split('.')[0] ?? '')
    for (const part of Object.values(node)) visit(part)
  }
  visit(body)
  const [first] = body as unknown as { type: string; expression?: Node }[]
  return {
    isClient: first?.type === 'ExpressionStatement' && first.expression?.value === 'use client',
    loads: [...loads].filter((name) => name !== null),
    parts: [...parts],
  }
}

/** The text parts that the pages of a folder use in the browser: in client files, and in everything that those load. */
async function browserPartsOf(folder: string): Promise<string[]> {
  const [seen, parts] = [new Set<string>(), new Set<string>()]
  const walk = async (file: string, parentInBrowser: boolean): Promise<void> => {
    const inBrowser = parentInBrowser || (await readModule(file)).isClient
    if (seen.has(`${file} ${inBrowser}`)) return
    seen.add(`${file} ${inBrowser}`)
    const { loads, parts: ownParts } = await readModule(file)
    if (inBrowser) for (const part of ownParts) parts.add(part)
    for (const next of loads) await walk(next, inBrowser)
  }
  for await (const file of glob(`${folder}/**/*.{ts,tsx}`)) if (!file.includes('.test.')) await walk(file, false)
  return [...parts].sort()
}

describe('the texts that travel with the pages of an area', () => {
  it.each([
    ['auth', 'app/(auth)'],
    ['models', 'app/(site)/models'],
    ['console', 'app/(console)'],
    ['operator', 'app/(operator)'],
  ] as const)('are those that its pages use, and no others: %s', async (area, folder) => {
    expect([...AREA_TEXTS[area]].sort()).toEqual(await browserPartsOf(folder))
  })
})
