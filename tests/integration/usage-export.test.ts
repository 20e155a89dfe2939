import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { downloadStream } from '#lib/console/download'
import { usageExportQuery } from '#lib/contracts/usage'
import { nano } from '#lib/domain/money'
import type { Unit } from '#lib/domain/usage'
import type { SignedInUser } from '#lib/services/ports'
import { exportUsage, PAGE_ROWS } from '#lib/services/usage/export-usage'
import { type ConsoleWorld, NOW, openConsoleWorld, receiptOf } from './console-world.ts'

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
  await world.pool.query('update purse set credit = 1000000000 where id = $1', [user.accountId])
})

const timeAt = (text: string) => new Date(`2026-${text}Z`)
const usage = (input: bigint, output: bigint) => ({ input, cachedInput: 0n, cacheWrite: 0n, output, reasoning: 0n, requests: 1n })
const nothing = { price: 0n, amount: nano(0n) }
const addKey = (id: string, name: string) =>
  world.pool.query(
    `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1, $2, 'grp_main', $3, convert_to($1, 'UTF8'), 'h')`,
    [`${id}_${user.accountId}`, user.accountId, name],
  )

/** The cells of a CSV without line breaks in them, by RFC 4180. */
function parseCsv(text: string): Record<string, string>[] {
  const lines = text.trimEnd().split('\r\n')
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    )
  const [head = [], ...rows] = lines.map(cells)
  return rows.map((row) => Object.fromEntries(head.map((name, place) => [name, row[place] ?? ''])))
}

const start = (query: object = {}) => exportUsage({ ctx: world.as(user), input: usageExportQuery.parse(query) })
async function read(query: object = {}): Promise<string> {
  const download = await start(query)
  return new Response(downloadStream(download, new AbortController().signal)).text()
}

describe('exportUsage', () => {
  it('writes hours with exact costs, and guards what looks like a formula', async () => {
    await addKey('key_a', '=HYPERLINK("http://evil.example","x")')
    const keyId = `key_a_${user.accountId}`
    await world.settle(user, { at: timeAt('11-20T10:00:00'), total: 1n, keyId, usage: usage(3n, 4n) })
    await world.settle(user, { at: timeAt('11-20T10:30:00'), total: 2_000_000n, keyId, usage: usage(3n, 4n) })
    await world.settle(user, { at: timeAt('11-20T11:00:00'), status: 500, modelId: '-dashed', keyId })
    const text = await read({ range: '24h' })
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`)
    expect(parseCsv(text)).toMatchObject([
      { hour: '2026-11-20T10:00:00.000Z', key_id: keyId, model: 'small', requests: '2', errors: '0', cost: '0.002000001' },
      { hour: '2026-11-20T11:00:00.000Z', model: "'-dashed", requests: '1', errors: '1', cost: '0' },
    ])
    expect(text.startsWith('hour,key_id,key,model,modality,requests,')).toBe(true)
    expect((await start({ range: '24h' })).name).toBe('tollgate-usage-2026-11-19-2026-11-20.csv')
  })

  it('counts what is not sold by the token, by request and by hour, in the last columns', async () => {
    await world.pool.query(
      `insert into model (id, owned_by, modality, context_window, max_output) values
         ('painter', 'h', 'image', 1, 1), ('film', 'h', 'video', 1, 1), ('voice', 'h', 'speech', 1, 1),
         ('ear', 'h', 'transcription', 1, 1), ('talk', 'h', 'chat', 1, 1)`,
    )
    const use = (at: string, modelId: string, keyId: string, ...lines: [Unit, bigint][]) => {
      const receipt = { ...receiptOf(1n), lines: lines.map(([unit, count]) => ({ ...nothing, unit, count })) }
      return world.settle(user, { at: timeAt(at), modelId, keyId, total: 1n, receipt })
    }
    await use('11-20T10:00:00', 'film', 'key_a', ['video_second', 8n], ['request', 1n])
    await use('11-20T10:59:59', 'film', 'key_a', ['video_second', 5n])
    await use('11-20T10:30:00', 'film', 'key_b', ['video_second', 6n])
    await use('11-20T11:00:00', 'film', 'key_a', ['video_second', 4n])
    await use('11-20T11:10:00', 'painter', 'key_a', ['image:1024x1024:hd', 2n], ['image', 1n], ['image_output', 900n])
    await use('11-20T11:20:00', 'voice', 'key_a', ['character', 70n], ['audio_second', 3n])
    await use('11-20T11:30:00', 'ear', 'key_a', ['audio_second', 60n])
    await use('11-20T11:40:00', 'talk', 'key_a', ['input', 9n], ['web_search', 3n])
    await world.settle(user, { at: timeAt('11-20T11:50:00'), modelId: 'film', keyId: 'key_a', status: 500 })
    const counts = (row: Record<string, string>) =>
      ['images', 'characters', 'audio_seconds', 'video_seconds'].map((name) => row[name]).join(' ')
    const requests = await read({ range: '24h', rows: 'requests' })
    expect(parseCsv(requests).map((row) => `${row.model}: ${counts(row)}`)).toEqual([
      ...['film: 0 0 0 8', 'film: 0 0 0 6', 'film: 0 0 0 5', 'film: 0 0 0 4', 'painter: 3 0 0 0', 'voice: 0 70 3 0'],
      ...['ear: 0 0 60 0', 'talk: 0 0 0 0', 'film: 0 0 0 0'],
    ])
    const hours = await read({ range: '24h' })
    expect(parseCsv(hours).map((row) => `${row.hour?.slice(11, 13)} ${row.key_id} ${row.model}: ${counts(row)}`)).toEqual([
      ...['10 key_a film: 0 0 0 13', '10 key_b film: 0 0 0 6', '11 key_a ear: 0 0 60 0', '11 key_a film: 0 0 0 4'],
      ...['11 key_a painter: 3 0 0 0', '11 key_a talk: 0 0 0 0', '11 key_a voice: 0 70 3 0'],
    ])
    expect(parseCsv(requests).map((row) => `${row.model}: ${row.web_searches}`)).toContain('talk: 3')
    const head = (text: string) => text.split('\r\n')[0]
    expect(head(requests)).toMatch(/,images,characters,audio_seconds,video_seconds,web_searches$/)
    expect(head(hours)).toMatch(/,images,characters,audio_seconds,video_seconds$/)
    expect(requests).toContain(',own_ms,images,')
    expect(hours).toContain(',cost,images,')
  })

  it('survives receipts of another shape', async () => {
    const id = await world.settle(user, { at: timeAt('11-20T10:00:00'), modelId: 'small' })
    const other = `{"lines":[{"unit":"image","count":"many"},{"count":5},7,null,{"unit":"image","count":2}]}`
    for (const [place, receipt] of ['{"lines":{}}', '[]', '{"lines":null}', other].entries())
      await world.pool.query(
        `insert into usage_record select * from json_populate_record((select u from usage_record u where id = $1),
           json_build_object('id', $2::text, 'receipt', $3::json))`,
        [id, id.slice(0, -4) + String(place).padStart(4, 'z'), receipt],
      )
    const requests = parseCsv(await read({ range: '24h', rows: 'requests' }))
    expect(requests.map(({ images }) => images)).toEqual(['0', '0', '0', '0', '2'])
    expect(parseCsv(await read({ range: '24h' })).map(({ images }) => images)).toEqual(['2'])
  })

  it('says that it is UTF-8, so that a spreadsheet reads names in every script', async () => {
    await addKey('key_zh', '生产环境')
    await world.settle(user, { at: timeAt('11-20T10:00:00'), keyId: `key_zh_${user.accountId}` })
    const stream = downloadStream(await start({ range: '24h' }), new AbortController().signal)
    const bytes = Buffer.from(await new Response(stream).arrayBuffer())
    expect(bytes.subarray(0, 8).toString()).toBe('\uFEFFhour,')
    expect(bytes.toString().match(/\uFEFF/g)).toHaveLength(1)
    expect(bytes.toString()).toContain(',生产环境,')
  })

  it('writes every request of the range once, oldest first, over many pages', async () => {
    const rows = PAGE_ROWS * 2 + 17
    await world.pool.query(
      `insert into usage_record (id, at, account_id, key_id, group_id, model_id, endpoint, stream, status, outcome, input_units,
         cached_units, output_units, reasoning_units, hold_nano, charged_nano, shortfall_nano, vendor_cost_nano, estimated, receipt,
         trace, own_ms, took_ms)
       select $3 || lpad(to_hex(n), 16, '0'), $2, $1, 'key', 'grp', 'small', 'chat.completions', false, 200, 'finished', 1, 0, 1, 0, n, n, 0, n, false,
         '{}', '[]', 1, 1 from generate_series(1, $4::int) n`,
      [
        user.accountId,
        timeAt('11-20T10:00:00'),
        (await world.settle(await world.newUser(), { at: timeAt('11-20T10:00:00') })).slice(0, 14),
        rows,
      ],
    )
    const found = parseCsv(await read({ range: '24h', rows: 'requests' }))
    expect(found).toHaveLength(rows)
    expect(new Set(found.map((row) => row.id)).size).toBe(rows)
    expect(found.map((row) => row.id)).toEqual(found.map((row) => row.id).toSorted())
    expect(found.at(-1)?.cost).toBe(`0.${String(rows).padStart(9, '0').replace(/0+$/, '')}`)
    expect(await read({ from: '2026-11-19', to: '2026-11-19', rows: 'requests' })).toHaveLength(
      (await read({ from: '2026-01-01', to: '2026-01-01', rows: 'requests' })).length,
    )
  })

  it('reads a page when it is asked for one, and nothing more once its reader has left', async () => {
    let pages = 0
    const { records } = world.console.ports.usageExports
    const row = { id: 'req_x', at: NOW, keyId: 'k', model: 'm', endpoint: 'e', stream: false, status: 200, outcome: 'finished' }
    const completeRow = { ...row, errorCode: null, finishReason: null, estimated: false, firstTokenMs: null, tookMs: 1, ownMs: 1 }
    const units = { inputUnits: 1n, cachedUnits: 0n, outputUnits: 0n, reasoningUnits: 0n, chargedNano: 1n }
    const pieces = { images: 0n, characters: 0n, audioSeconds: 0n, videoSeconds: 0n, webSearches: 0n }
    // Endless: if the reader's departure were not noticed, this would never stop.
    world.console.ports.usageExports.records = async () => {
      pages++
      return Array.from({ length: PAGE_ROWS }, () => ({ ...completeRow, ...units, ...pieces }))
    }
    try {
      const reader = downloadStream(
        await exportUsage({
          ctx: { ...world.as(user), usageExports: world.console.ports.usageExports },
          input: { rows: 'requests' },
        }),
        new AbortController().signal,
      ).getReader()
      await reader.read()
      await reader.read()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(pages).toBe(2)
      await reader.cancel()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(pages).toBe(2)
    } finally {
      world.console.ports.usageExports.records = records
    }
  })

  it.each([
    ['cancels', async (stream: ReadableStream, _controller: AbortController) => stream.cancel(), 60_000],
    ['goes away before it reads', async (_stream: ReadableStream, controller: AbortController) => controller.abort(), 60_000],
    ['reads it all', async (stream: ReadableStream, _controller: AbortController) => new Response(stream).text(), 60_000],
    ['takes nothing for too long', async () => undefined, 3000],
  ])('gives its place back to others of the account when a reader %s', async (_, finish, silenceMs) => {
    const open = async () => {
      const controller = new AbortController()
      return { controller, stream: downloadStream(await start(), controller.signal, silenceMs) }
    }
    const [first, second] = [await open(), await open()]
    await expect(start()).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    const other = await world.newUser()
    const theirs = await exportUsage({ ctx: world.as(other), input: { rows: 'hours' } })
    theirs.close()
    if (first) await finish(first.stream, first.controller)
    await expect
      .poll(
        () =>
          start().then(
            (download) => download.close(),
            () => 'full',
          ),
        { timeout: 15_000 },
      )
      .toBeUndefined()
    second?.controller.abort()
  })

  it('refuses a period that is none', async () => {
    await expect(start({ from: '2026-11-02' })).rejects.toMatchObject({ field: 'to' })
  })
})
