import { randomUUID } from 'node:crypto'
import type { ProbeReason } from '#lib/contracts/operator-connections'
import type { Connection, Deployment } from '../domain/catalog.ts'
import { readFirstBytes } from '../domain/read-first-bytes.ts'
import { formatStoredText, type StoredText } from '../domain/stored-text.ts'
import { parseVendorError } from '../gateway/parse-vendor-error.ts'
import { readErrorText, scrub } from '../gateway/vendor-errors.ts'
import { VendorRegistry } from '../vendors/registry.ts'
import { asVendorFailure, type FailureKind, type Vendor, type VendorAnswer } from '../vendors/vendor.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024
const PROBE_PROMPT = 'Hi'

/** The result: null if the model answered. The message is for a person and follows the vendor's name. */
export type ChatFailure = { reason: ProbeReason; message: StoredText } | null

const REASON_OF_FAILURE: Record<FailureKind, ProbeReason> = {
  unreachable: 'unreachable',
  timed_out: 'timeout',
  cut: 'vendor',
  unreadable: 'unreadable',
  over_cap: 'vendor',
  misconfigured: 'path',
}

function reasonOf(status: number): ProbeReason {
  if (status === 401) return 'credentials'
  if (status === 403) return 'forbidden'
  if (status === 407) return 'proxy'
  if (status === 429) return 'limited'
  return status >= 400 && status < 500 ? 'model' : 'vendor'
}

/** Asks for one token, in the vendor's own wire format or through the bridge. */
function sendProbe(vendor: Vendor, deployment: Deployment, signal: AbortSignal): Promise<VendorAnswer> | null {
  const { connection, upstreamModel } = deployment
  const call = { deployment, connection, stream: false, cap: 1, choices: 1, signal, onSent: () => undefined }
  const forward = vendor.forward['openai.chat']
  if (forward)
    return forward({ ...call, form: null, body: { model: upstreamModel, messages: [{ role: 'user', content: PROBE_PROMPT }] } })
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: PROBE_PROMPT }] }]
  return vendor.bridge?.run({ ...call, ask: { options: { prompt }, extras: {}, ignored: [] } }) ?? null
}

/**
 * Asks a model for one token to see whether it answers, for vendors that cannot list their models. The vendor charges for it, but
 * no account is charged.
 */
export async function probeChat(connection: Connection, upstreamModel: string): Promise<ChatFailure> {
  const registry = new VendorRegistry()
  const deployment = { id: `probe_${randomUUID()}`, upstreamModel, weight: 1, priority: 0, connection }
  try {
    const vendor = registry.get(connection)
    const answer = await (vendor && sendProbe(vendor, deployment, AbortSignal.timeout(TIMEOUT_MS)))
    if (!answer) return { reason: 'unlisted', message: 'it has no chat models' }
    if (answer.k === 'wire' && answer.status !== 200) {
      const vendorMessage = parseVendorError(await readErrorText(answer)).message
      const placeholders = { status: answer.status, model: upstreamModel }
      const message =
        vendorMessage === null
          ? formatStoredText('chatAnswered', placeholders)
          : formatStoredText('chatAnsweredWith', { ...placeholders, said: scrub(vendorMessage, { deployment }, upstreamModel) })
      return { reason: reasonOf(answer.status), message }
    }
    if (answer.k === 'wire') await readFirstBytes(answer.body, MAX_BYTES)
    else for await (const _ of answer.parts);
    return null
  } catch (error) {
    const failure = asVendorFailure(error)
    if (!failure) throw error
    return {
      reason: REASON_OF_FAILURE[failure.kind],
      message: formatStoredText('chatFailed', { model: upstreamModel, detail: failure.detail }),
    }
  } finally {
    await registry.close()
  }
}
