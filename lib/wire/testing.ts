import type { CatalogModel } from '../domain/catalog.ts'
import type { LanguageCapabilities } from '../domain/language.ts'
import type { Rates } from '../domain/price.ts'
import type { ResponseStore, StoredResponse } from '../domain/stored-response.ts'
import type { FinishPorts } from './answer.ts'
import type { PreparedResponse } from './responses/prepared.ts'
import { createResponse } from './responses.ts'

/** An empty shelf. */
export const emptyResponseStore: ResponseStore = {
  save: async () => undefined,
  find: async () => null,
  findChain: async () => 'unknown',
  remove: async () => false,
}

/** For an answer in which any function may be called. */
export const CALLS = { requestId: `req_${'0'.repeat(26)}`, forced: false }
/** For such an answer of our own model. */
export const RULES = { ...CALLS, modelId: 'our/model', at: new Date(1_790_000_000_999) }
/** What a chat says about itself if its vendor does not. */
export const OWN_HEAD = { id: `chatcmpl-${'0'.repeat(26)}`, created: 1_790_000_000 }

/** The capabilities of bridged Claude and Gemini models. */
export const CLAUDE: LanguageCapabilities = {
  vendor: 'anthropic',
  thoughts: { format: 'anthropic-claude-v1', signature: 'signature', hidden: 'redactedData' },
  imageUrls: true,
  audio: false,
  video: false,
  files: [],
  caches: true,
}
export const GEMINI: LanguageCapabilities = {
  ...CLAUDE,
  vendor: 'google',
  thoughts: { format: 'google-gemini-v1', signature: 'thoughtSignature', hidden: null },
}

/** A chat model. */
export const model: CatalogModel = {
  id: 'our/model',
  ownedBy: 'us',
  modality: 'chat',
  contextWindow: 1_000_000,
  maxOutput: 16_384,
  imageTokens: 1500,
  capabilities: new Set(),
  facts: {},
  hiddenReasoning: false,
  createdAt: new Date(0),
  prices: [],
  deployments: [],
}

/** A request to POST /v1/responses, parsed and prepared as the gateway does it. */
export async function preparedResponse(
  body: object,
  options: { thinks?: boolean; shelf?: ResponseStore; rates?: Rates } = {},
): Promise<PreparedResponse> {
  const input = createResponse.parse({ model: model.id, input: 'Hello.', ...body })
  return await createResponse.prepare(input, {
    model: { ...model, hiddenReasoning: options.thinks ?? false },
    price: { id: 'p', from: new Date(0), rates: { input: 1n, output: 1n, ...options.rates }, vendorRates: {} },
    accountId: 'acc_1',
    keepHistory: true,
    responses: options.shelf ?? emptyResponseStore,
    bodyBytes: JSON.stringify(body).length + 100,
    countTokens: async (text) => Math.ceil(text.length / 4),
    supportsWire: () => true,
    decodeTokens: async () => null,
    audioSeconds: async () => null,
  })
}

/** The ports with which an answer is finished. `saved` receives what it stores. */
export const finishPortsOf = (saved: StoredResponse[] = []): FinishPorts => ({
  accountId: 'acc_1',
  keepHistory: true,
  at: new Date(5000),
  nowMs: 9000,
  vendorOrigin: null,
  fileLifetimeMs: 3_600_000,
  responses: { ...emptyResponseStore, save: async (item) => void saved.push(item) },
  warn: () => undefined,
  files: {
    save: () => Promise.reject(new Error('no files here')),
    fetch: () => Promise.reject(new Error('no files here')),
  },
})
