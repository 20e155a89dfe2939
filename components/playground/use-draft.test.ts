import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeDraft } from './use-draft.ts'

const kept = new Map<string, string>()
beforeEach(() => {
  vi.stubGlobal('window', { sessionStorage: { setItem: (name: string, value: string) => kept.set(name, value) } })
})
afterEach(() => {
  kept.clear()
  vi.unstubAllGlobals()
})
const keptOf = () => JSON.parse([...kept.values()][0] ?? 'null')

it('keeps a draft under its account and name', () => {
  writeDraft('acc_1', 'chat', { prompt: 'Hi' })
  expect([...kept.keys()]).toEqual(['tollgate.playground.1.acc_1.chat'])
  expect(keptOf()).toEqual({ prompt: 'Hi' })
})

it('gives up copies of what was sent first, then the conversation, and never what was typed', () => {
  const large = 'x'.repeat(2_000_000)
  writeDraft('a', 'chat', { text: 'typed', exchanges: [{ id: 'e', body: large }] })
  expect(keptOf().exchanges[0].body).toHaveLength(large.length)
  writeDraft('a', 'chat', { text: 'typed', exchanges: [{ id: 'e', answers: [{ body: large }, { body: large }] }] })
  expect(keptOf()).toEqual({ text: 'typed', exchanges: [{ id: 'e', answers: [{ body: null }, { body: null }] }] })
  writeDraft('a', 'chat', { text: 'typed', exchanges: [large, large], pictures: [large] })
  expect(keptOf()).toEqual({ text: 'typed', exchanges: [], pictures: [] })
})

it('leaves alone what a browser does not let it keep', () => {
  vi.stubGlobal('window', {
    sessionStorage: {
      setItem: () => {
        throw new Error('full')
      },
    },
  })
  expect(() => writeDraft('a', 'chat', {})).not.toThrow()
})
