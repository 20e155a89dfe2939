import { describe, expect, it } from 'vitest'
import type { LanguageCapabilities } from '../../domain/language.ts'
import type { Rates } from '../../domain/price.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { chatCompletions } from '../chat.ts'
import { CLAUDE } from '../testing.ts'
import { toLanguageAsk } from './language.ts'
import { chatSchema } from './schema.ts'
import { refuseUnpricedSearch, withSearches } from './web-search.ts'

const all = { bills: 'searches', cites: 'blocks', filters: true, location: true, limit: true, besideFunctions: true } as const
const CAN: LanguageCapabilities = { ...CLAUDE, search: all }
const PLAIN: LanguageCapabilities = {
  ...CLAUDE,
  search: { ...all, filters: false, location: false, limit: false, besideFunctions: false },
}
const chat = (web_search_options: object | null, more: object = {}) =>
  chatSchema.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }], web_search_options, ...more })
const place = { country: 'NZ', city: 'Dunedin' }
const located = { user_location: { type: 'approximate', approximate: place } }

describe('searches of a chat', () => {
  it('are asked for in the terms of the vendor', () => {
    const { extras, ignored } = toLanguageAsk(chat({ ...located, filters: { allowed_domains: ['a.com'] }, max_uses: 2 }), CAN)
    expect(extras.webSearch).toEqual({ maxSearches: 2, allowedDomains: ['a.com'], location: place })
    expect(ignored).toEqual([])
    expect(toLanguageAsk(chat({}), CAN).extras.webSearch).toEqual({ maxSearches: 10 })
    expect(toLanguageAsk(chat(null), CAN).extras).not.toHaveProperty('webSearch')
  })

  it('say only where their user is', () => {
    const beside = { user_location: { type: 'approximate', approximate: { ...place, region: null, type: 'exact', planet: 'x' } } }
    expect(toLanguageAsk(chat(beside), CAN).extras.webSearch).toEqual({ maxSearches: 10, location: place })
    const nowhere = { user_location: { type: 'approximate', approximate: { planet: 'x' } } }
    expect(toLanguageAsk(chat(nowhere), CAN).extras.webSearch).toEqual({ maxSearches: 10 })
  })

  it('leave out what only steers them, and say so', () => {
    const { extras, ignored } = toLanguageAsk(chat({ ...located, search_context_size: 'low', max_uses: 3 }), PLAIN)
    expect(extras.webSearch).toEqual({ maxSearches: 3 })
    expect(ignored).toEqual(['search_context_size', 'max_uses', 'user_location'].map((name) => `web_search_options.${name}`))
  })

  it.each([
    [CLAUDE, {}, {}, 'web_search_options'],
    [CAN, { filters: { blocked_domains: ['a.com'] } }, {}, 'web_search_options.filters.blocked_domains'],
    [CAN, { external_web_access: false }, {}, 'web_search_options.external_web_access'],
    [PLAIN, { filters: { allowed_domains: ['a.com'] } }, {}, 'web_search_options.filters'],
    [PLAIN, {}, { tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
  ])('are a 400 if the vendor cannot do what they ask for (%#)', (skills, options, more, param) => {
    expect(() => toLanguageAsk(chat(options, more), skills)).toThrow(expect.objectContaining({ param }))
  })

  it.each([
    { max_uses: 0 },
    { max_uses: 1.5 },
    { filters: { allowed_domains: [''] } },
    { search_context_size: 'huge' },
    { user_location: { type: 'exact', approximate: {} } },
    { user_location: { type: 'approximate', approximate: { country: 5 } } },
  ])('are checked: %o', (options) => {
    expect(() => chat(options)).toThrow()
  })

  type Prepared = Parameters<NonNullable<(typeof chatCompletions.forms)[0]['check']>>[0]
  const prepared = (rates: Rates) => ({ body: chat({}), rates }) as Prepared
  const refused = expect.objectContaining({ param: 'web_search_options' })

  it('need a price of their own at bridged vendors', () => {
    expect(() => refuseUnpricedSearch('web_search_options', {}, 'our/model')).toThrow(/"our\/model" has no price/)
    expect(() => chatCompletions.language?.ask(prepared({ request: 1n }), CAN)).toThrow(refused)
    expect(() => chatCompletions.language?.ask(prepared({ web_search: 1n }), CAN)).not.toThrow()
  })

  it('need a price of each request in native chats, where models that search do so for each', () => {
    expect(() => chatCompletions.forms[0]?.check?.(prepared({ web_search: 1n }))).toThrow(refused)
    expect(() => chatCompletions.forms[0]?.check?.(prepared({ request: 1n }))).not.toThrow()
  })

  it('are held for, and so is what is read with them, for each choice', () => {
    const bound = { cap: 5, choices: 2, usage: { ...NO_USAGE, input: 7n, output: 5n, media: { audio_input: 1n } } }
    expect(withSearches(bound, chat({ max_uses: 3 }), { web_search: 1n }).usage).toMatchObject({
      input: 7n + 6n * 32_768n,
      output: 5n,
      media: { audio_input: 1n, web_search: 6n },
    })
    expect(withSearches(bound, chat(null), {})).toBe(bound)
    // Paid with the request, which has one search: only what is read is more.
    expect(withSearches(bound, chat({}), { request: 1n }).usage).toEqual({
      ...bound.usage,
      input: 7n + 2n * 32_768n,
    })
  })
})
