import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expiryHourIn, expiryHourOf, extensionOfName, fileIdOf, fileNameOf, isFileName, signUrl, verifyUrl } from './names.ts'

const KEY = Buffer.alloc(32, 7)
const ID = 'file_01k0abcdefghjkmnpqrstvwxyz'
const UNTIL_MS = Date.UTC(2026, 10, 20, 19, 59, 59, 999)
const NAME = `2026112019/${ID}.png`
const read = (address: string, nowMs = UNTIL_MS - 60_000, key = KEY) => {
  const { pathname, search } = new URL(address)
  return verifyUrl(pathname, search, key, nowMs)
}
const address = signUrl('https://gate.test', KEY, NAME, UNTIL_MS)

describe('names', () => {
  it('say when a file expires, whose it is and what is in it', () => {
    expect(fileNameOf(ID, 'image/png', UNTIL_MS)).toBe(NAME)
    expect([expiryHourIn(NAME), fileIdOf(NAME), extensionOfName(NAME)]).toEqual(['2026112019', ID, 'png'])
    expect(isFileName(NAME)).toBe(true)
  })

  it.each([Number.NaN, -1, 253_402_300_800_000, Number.POSITIVE_INFINITY])('no file expires at %s', (ms) => {
    expect(() => expiryHourOf(ms)).toThrow(RangeError)
  })

  it('hours sort as their times do', () => {
    const time = fc.integer({ min: 0, max: 253_402_300_799_000 })
    fc.assert(
      fc.property(time, time, (a, b) => expiryHourOf(a) < expiryHourOf(b) === Math.floor(a / 3.6e6) < Math.floor(b / 3.6e6)),
    )
  })

  it.each([
    '',
    'x',
    `2026112019/${ID}`,
    `2026112019/${ID}.`,
    `2026112019/${ID}.p-g`,
    `2026112019/${ID}.png.part`,
    `2026112019/.${ID}.png`,
    `2026112019/${ID.toUpperCase()}.png`,
    `2026112019/${ID.replace('file', 'req')}.png`,
    `../2026112019/${ID}.png`,
    `2026112019/../${ID}.png`,
    `2026112019/..%2f${ID}.png`,
    `2026112019\\${ID}.png`,
    `2026112019//${ID}.png`,
    `2026112019/${ID}.png/`,
    `2026112019/${ID}.png\0`,
    `2026112019/${ID}.png\n`,
    `202611201/${ID}.png`,
  ])('%j is none', (text) => expect(isFileName(text)).toBe(false))
})

describe('addresses', () => {
  it('lead to their file until they expire', () => {
    expect(address).toMatch(/^https:\/\/gate\.test\/files\/2026112019\/file_\w{26}\.png\?expires=\d{10}&signature=[\w-]{43}$/)
    const untilMs = UNTIL_MS - 999
    expect(read(address)).toEqual({ name: NAME, untilMs })
    expect(read(address, untilMs - 1)).toEqual({ name: NAME, untilMs })
    expect(read(address, untilMs)).toBe('expired')
  })

  it('stand below the path of a public URL', () => {
    expect(signUrl('https://gate.test/ai', KEY, NAME, UNTIL_MS)).toMatch(/^https:\/\/gate\.test\/ai\/files\/2026/)
  })

  it('are refused under another key', () => expect(read(address, 0, Buffer.alloc(32, 8))).toBe('unsigned'))

  it('may have what others added, and the parts in another order', () => {
    const [path, query = ''] = address.split('?')
    const [expires, signature] = query.split('&')
    expect(read(`${path}?utm_source=x&${signature}&${expires}`)).toMatchObject({ name: NAME })
  })

  it('are refused where any character was changed, left out or put in', () => {
    const from = address.indexOf('/files/') + 1
    const character = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/&=%+ ?')
    const change = fc.record({
      at: fc.integer({ min: from, max: address.length - 1 }),
      to: character,
      kind: fc.constantFrom('replace', 'remove', 'insert'),
    })
    fc.assert(
      fc.property(change, ({ at, to, kind }) => {
        const rest = address.slice(kind === 'insert' ? at : at + 1)
        const changed = address.slice(0, at) + (kind === 'remove' ? '' : to) + rest
        // Another `&` does not change what the address says.
        const query = (text: string) =>
          [...new URL(text).searchParams].filter(([name]) => name === 'expires' || name === 'signature')
        fc.pre(new URL(changed).pathname !== new URL(address).pathname || `${query(changed)}` !== `${query(address)}`)
        expect(['unknown', 'unsigned']).toContain(read(changed))
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['no query', ''],
    ['no signature', '?expires=1795201199'],
    ['an empty signature', '?expires=1795201199&signature='],
    ['no time', `?signature=${'x'.repeat(43)}`],
    ['a signature of the right length', `?expires=1795201199&signature=${'x'.repeat(43)}`],
    ['a signature of many bytes', `?expires=1795201199&signature=${'é'.repeat(43)}`],
    ['two times', `${new URL(address).search}&expires=9999999999`],
    ['two signatures', `${new URL(address).search}&signature=x`],
  ])('are refused with %s', (_, query) => {
    expect(read(new URL(address).origin + new URL(address).pathname + query)).toBe('unsigned')
  })

  it('no time before 1970 or written otherwise is taken', () => {
    const signature = new URL(address).searchParams.get('signature')
    const [expires] = /\d{10}/.exec(new URL(address).search) ?? []
    for (const time of [`0${expires}`, `${expires}.0`, `+${expires}`, '-1', '1e9', 'NaN', ''])
      expect(read(`https://gate.test/files/${NAME}?expires=${time}&signature=${signature}`)).toBe('unsigned')
  })
})
