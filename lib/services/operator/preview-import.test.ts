import { expect, it } from 'vitest'
import { formatStoredText } from '../../domain/stored-text.ts'
import { formatForLocale } from '../../messages/format-for-locale.ts'
import { asServiceError } from '../service-error.ts'
import type { ProbeResult } from './operator-ports.ts'
import { previewImport } from './preview-import.ts'

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
    '无法询问 Acme：无法连接（ECONNREFUSED）。',
  ])
  expect(await refusedFor('it does not accept the API key')).toEqual([
    'Acme could not be queried: it does not accept the API key.',
    '无法询问 Acme：它不接受此 API 密钥。',
  ])
})
