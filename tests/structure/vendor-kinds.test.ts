import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import type { VendorModality } from '#lib/domain/vendor-kinds'
import { VendorRegistry } from '#lib/vendors/registry'
import { RECORDED_DIR, recordedExists } from '../fakes/bridged-vendors.ts'
import { CHAT_ROWS } from '../fakes/kinds/chat-rows.ts'
import { WORKS } from '../fakes/kinds/media-row.ts'
import { MEDIA_ROWS } from '../fakes/kinds/media-rows.ts'
import { ANSWER_CELLS, type ExpectedAnswer, type Faults, isNone, isStream, type None, type Written } from '../fakes/kinds/row.ts'
import { VIDEO_ROWS } from '../fakes/kinds/video-rows.ts'

const kindsWith = (modality: VendorModality) => VENDOR_KINDS.filter(({ modalities }) => modalities.includes(modality))

/** What the answers of a cell have to show between them, and whether both whole and streamed answers have to. */
const CELL_EXPECTATIONS: Record<(typeof ANSWER_CELLS)[number], [(answered: ExpectedAnswer) => boolean, both: boolean]> = {
  text: [({ bytes, says }) => !isStream(bytes) && says !== undefined, false],
  stream: [({ bytes, says }) => isStream(bytes) && says !== undefined, false],
  tools: [({ bytes, calls = [] }) => !isStream(bytes) && calls.length > 0, false],
  toolStream: [({ bytes, calls = [] }) => isStream(bytes) && calls.length > 0, false],
  cached: [({ used }) => (used.cached ?? 0) > 0, true],
  reasoning: [({ used }) => (used.reasoning ?? 0) > 0, true],
}

/** Whether a cell says that its vendor has none. Throws if the cell is missing or gives no reason. */
function hasNone<Content extends object>(cell: Content | None | undefined): cell is None {
  expect(cell, 'a cell is missing').toBeDefined()
  if (cell === undefined || !isNone(cell as object | None)) return false
  expect((cell as None).none).toMatch(/^[A-Z].{15,}\.$/)
  return true
}

/** Throws unless the source that bytes were written after can be looked up. */
const expectSource = ({ source }: Pick<Written, 'source'>): void => expect(source).toMatch(/^(https:\/\/|lib\/)\S+$/)

function expectFaults(faults: Faults): void {
  for (const name of ['credentials', 'funds', 'request', 'rate', 'failure'] as const) {
    const cell = faults[name]
    if (hasNone(cell)) continue
    const all = [cell].flat()
    expect(all.length, name).toBeGreaterThan(0)
    for (const fault of all) {
      // A fault that the sender can fix is explained to the sender, and no other is.
      expect(['invalid_request', 'context_exceeded'].includes(fault.is), name).toBe(name === 'request')
      expect(fault.says !== undefined, name).toBe(name === 'request')
    }
  }
}

test('every kind has a row for all that it makes, and no row is of another kind', () => {
  const chats = kindsWith('chat').map(({ id }) => id)
  expect(Object.keys(CHAT_ROWS).sort()).toEqual(chats.sort())
  const others = VENDOR_KINDS.filter(({ modalities }) => !modalities.includes('chat')).map(({ id }) => id)
  expect(Object.keys(MEDIA_ROWS).sort()).toEqual(others.sort())
  const videos = kindsWith('video').filter(({ reached }) => reached === 'bridged')
  expect(Object.keys(VIDEO_ROWS).sort()).toEqual(videos.map(({ id }) => id).sort())
})

test('a kind searches the web as the newest models of its chats do', () => {
  const NEWEST: Record<string, string> = { google: 'gemini-3-flash', 'google-vertex': 'gemini-3-flash' }
  const canSearch = kindsWith('chat').filter(({ id }) => {
    const timeouts = { connectTimeoutMs: 1, headersTimeoutMs: 1, idleTimeoutMs: 1 }
    const vendor = new VendorRegistry().get({
      id,
      name: id,
      kind: id,
      baseUrl: 'http://localhost/',
      secret: 's',
      headers: {},
      ...timeouts,
    })
    return vendor?.bridge?.skills(NEWEST[id] ?? 'model').search !== undefined
  })
  expect(VENDOR_KINDS.filter(({ searches }) => searches)).toEqual(canSearch)
})

describe.each(Object.entries(CHAT_ROWS))('%s', (_, row) => {
  test.each(ANSWER_CELLS)('%s: answers of its wire, or why there are none', (name) => {
    const cell = row[name]
    if (hasNone(cell)) return
    const [shows, both] = CELL_EXPECTATIONS[name]
    expect(cell.length).toBeGreaterThan(0)
    for (const answered of cell) expect(shows(answered), JSON.stringify(answered.bytes).slice(0, 300)).toBe(true)
    if (both) expect(new Set(cell.map(({ bytes }) => isStream(bytes)))).toEqual(new Set([false, true]))
    for (const { bytes } of cell) {
      if ('written' in bytes) expectSource(bytes)
      else if (recordedExists) expect(existsSync(resolve(RECORDED_DIR, bytes.recorded)), bytes.recorded).toBe(true)
    }
  })

  test('errors: each of them in its shape, or why there is none; before an answer, and in the middle of one', () => {
    expectFaults(row.faults)
    if (!hasNone(row.brokenStream)) expectSource(row.brokenStream)
  })
})

describe.each(Object.entries(MEDIA_ROWS))('%s', (id, row) => {
  test('what it makes, and nothing else, has its bytes', () => {
    const makes = VENDOR_KINDS.find((kind) => kind.id === id)?.modalities ?? []
    for (const name of WORKS) {
      const cell = row[name]
      const none = hasNone(cell)
      expect(none, name).toBe(!makes.includes(name))
      if (none) continue
      expectSource(cell)
      expect(cell.answer !== undefined, name).toBe(cell.job === undefined)
    }
  })

  test('errors: each of them in its shape, or why there is none', () => {
    expectFaults(row.faults)
  })

  test('work that takes its time ends well and badly, and can be stopped, or why not', () => {
    const jobs = WORKS.map((name) => row[name]).filter((cell) => !isNone(cell) && cell.job !== undefined)
    expect(hasNone(row.polling) ? [] : row.polling).toEqual(jobs)
    for (const cell of jobs) if (!isNone(cell)) expect(cell.job?.failed.length).toBeGreaterThan(0)
    hasNone(row.cancel)
  })
})
