import { expect, it } from 'vitest'
import { modelId } from '#lib/contracts/operator'
import { formatStoredText } from '../../domain/stored-text.ts'
import { formatForLocale } from '../../messages/format-for-locale.ts'
import { asServiceError } from '../service-error.ts'
import type { KnownFacts, PriceRecord, ProbeResult } from './operator-ports.ts'
import { createOffer, previewImport, suggestModelId } from './preview-import.ts'

const refusedFor = async (message: Extract<ProbeResult, { ok: false }>['message']) => {
  const ctx = {
    catalogReads: { connection: async () => ({ id: 'con_1', name: 'Acme', kind: 'openai' }) },
    vendorProbe: { probeModels: async (): Promise<ProbeResult> => ({ ok: false, tookMs: 1, reason: 'refused', message }) },
  } as unknown as Parameters<typeof previewImport>[0]['ctx']
  const error = asServiceError(await previewImport({ ctx, input: { id: 'con_1' } }).catch((thrown: unknown) => thrown))
  return error && [error.message, formatForLocale(error.descriptor, 'zh')]
}

it('says in the language of the page why a vendor could not be asked', async () => {
  expect(await refusedFor(formatStoredText('unreached', { code: 'ECONNREFUSED' }))).toEqual([
    'Acme could not be queried: it cannot be reached (ECONNREFUSED).',
    '无法查询 Acme：无法连接（ECONNREFUSED）。',
  ])
  expect(await refusedFor('it does not accept the API key')).toEqual([
    'Acme could not be queried: it does not accept the API key.',
    '无法查询 Acme：它不接受此 API 密钥。',
  ])
})

it.each([
  ['gpt-x', 'acme-ai/gpt-x'],
  ['acme-ai/gpt-x', 'acme-ai/gpt-x'],
  ['GPT X (beta)', 'acme-ai/GPT-X-beta-'],
  ['7', 'acme-ai/7'],
  ['通义-qwen', 'acme-ai/--qwen'],
])('names %s %s', (upstreamModel, name) => {
  expect(suggestModelId({ name: 'Acme AI' }, upstreamModel)).toBe(name)
})

it('gives a name of its own, always the same, to a model that is named in other letters', () => {
  const names = ['通义千问', '文心一言', 'Модель-4', '模型/聊天'].map((name) => suggestModelId({ name: 'Acme AI' }, name))
  for (const name of names) {
    expect(name).toMatch(/^acme-ai\/model-[0-9a-f]{8}$/)
    expect(modelId.safeParse(name).success).toBe(true)
  }
  expect(new Set(names).size).toBe(names.length)
  expect(suggestModelId({ name: 'Acme AI' }, '通义千问')).toBe(names[0])
})

const offerOf = (found: KnownFacts['rates'], current: Pick<PriceRecord, 'rates' | 'vendorRates'>) =>
  createOffer({ rates: found, facts: {} } as KnownFacts, { upstreamModel: 'm', modelId: 'm' }, current as PriceRecord, true)

it('keeps a price of searches that the registry does not know, and shows one that the catalog does not have', () => {
  const [tokens, search] = [{ input: '1', output: '2' }, { web_search: '9' }]
  const listed = { input: 1n, output: 2n }
  for (const vendorRates of [tokens, { ...tokens, ...search }]) {
    const current = { rates: { ...tokens, ...search }, vendorRates }
    expect(offerOf(listed, current)).toMatchObject({ state: 'same', found: { ...tokens, ...search } })
    const dearer = { ...listed, input: 3n }
    expect(offerOf(dearer, current)).toMatchObject({ state: 'price', found: { input: '3', output: '2', ...search } })
  }
  const current = { rates: tokens, vendorRates: tokens }
  expect(offerOf(listed, current)).toMatchObject({ state: 'same', found: tokens })
  expect(offerOf({ ...listed, web_search: 7n }, current)).toMatchObject({ state: 'price', found: { web_search: '7' } })
})
