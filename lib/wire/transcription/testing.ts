/** Helpers for tests of transcriptions. */
import type { CatalogModel } from '../../domain/catalog.ts'
import type { Form, FormPart, Upload } from '../../domain/form.ts'
import type { ModelPrice, Rates } from '../../domain/price.ts'
import type { PreparePorts } from '../endpoint.ts'
import { emptyResponseStore } from '../testing.ts'
import { transcriptions } from '../transcription.ts'

const file: Upload = {
  filename: 'blob',
  type: 'audio/webm',
  bytes: 5,
  sha256: 'ab'.repeat(32),
  path: null,
  async *read() {
    yield Buffer.from('sound')
  },
}
const SECONDS: Rates = { audio_second: 100_000_000_000n }
/** The prices of a model that counts tokens. */
export const TOKENS: Rates = { input: 2_500_000_000n, audio_input: 6_000_000_000n, output: 10_000_000_000n }

export const formOf = (texts: [string, string][]): Form => ({
  parts: [{ name: 'file', file }, { name: 'model', value: 'm' }, ...texts.map(([name, value]): FormPart => ({ name, value }))],
})

export interface PrepareOverrides {
  rates?: Rates
  seconds?: number | null
  formats?: string[]
  capabilities?: string[]
}

/** A request with these fields beside its file, prepared as the gateway does it. */
export async function prepare(
  texts: [string, string][],
  { rates = SECONDS, seconds = 12.3, formats, capabilities = [] }: PrepareOverrides = {},
) {
  const price: ModelPrice = { id: 'p', from: new Date(0), rates, vendorRates: rates }
  const model = { id: 'm', facts: formats ? { formats } : {}, capabilities: new Set(capabilities) } as unknown as CatalogModel
  const ports: PreparePorts = {
    model,
    price,
    accountId: 'a',
    keepHistory: true,
    responses: emptyResponseStore,
    bodyBytes: 40,
    countTokens: async (text) => text.split(/\s+/).filter(Boolean).length,
    supportsWire: () => true,
    decodeTokens: async () => null,
    audioSeconds: async () => seconds,
  }
  return { work: await transcriptions.prepare(transcriptions.parse(formOf(texts)), ports), ports }
}

const [first] = transcriptions.forms
if (!first?.createTap) throw new Error('it has a form with a tap')
export const form = first
export const openTap = first.createTap
export const head = { modelId: 'm', requestId: 'r', at: new Date(0), type: 'application/json' }
export const bytesOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))
