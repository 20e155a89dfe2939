import type { ListedModel } from '../domain/listed-model.ts'
import type { VendorBalance } from '../services/alerts/alert-ports.ts'
import type { ProbeResult, VendorProbe } from '../services/operator/operator-ports.ts'
import { agentOf } from '../vendors/agent.ts'
import { askBalance, balanceKinds } from '../vendors/ask-balance.ts'
import { listModels, VendorQueryFailure } from '../vendors/list-models.ts'
import { SANDBOX_MODELS } from '../vendors/sandbox/models.ts'
import { probeChat } from './vendor-chat-probe.ts'

/** Asks vendors for the operator's remaining balance, in the same way as calls are sent. */
export const createVendorBalance = (): VendorBalance => ({
  kinds: balanceKinds,
  async fetchBalance(connection, currency) {
    const { baseUrl, secret, kind, headers } = connection
    if (baseUrl === null) return { ok: false, message: 'it has no address' }
    const dispatcher = agentOf(connection)
    try {
      return { ok: true, ...(await askBalance({ kind, baseUrl, secret }, currency, { dispatcher, headers })) }
    } catch (error) {
      if (!(error instanceof VendorQueryFailure)) throw error
      return { ok: false, message: error.message }
    } finally {
      await dispatcher.destroy()
    }
  },
})

const unsized = (name: string): ListedModel => ({ name, contextWindow: null, maxOutput: null })

/** Asks vendors for their models in the same way as calls are sent: with their proxy, headers and timeouts. */
export const createVendorProbe = (): VendorProbe => ({
  async probeModels(connection): Promise<ProbeResult> {
    const startedMs = performance.now()
    const tookMs = () => Math.round(performance.now() - startedMs)
    if (connection.kind === 'sandbox') {
      return { ok: true, tookMs: tookMs(), models: SANDBOX_MODELS.map(({ upstreamModel }) => unsized(upstreamModel)) }
    }
    const { baseUrl, secret, kind, headers } = connection
    if (baseUrl === null) return { ok: false, tookMs: 0, reason: 'path', message: 'it has no address' }
    const dispatcher = agentOf(connection)
    try {
      const models = await listModels(baseUrl, secret, kind, { dispatcher, headers })
      return { ok: true, tookMs: tookMs(), models: models.sort((a, b) => (a.name < b.name ? -1 : 1)) }
    } catch (error) {
      if (!(error instanceof VendorQueryFailure)) throw error
      return { ok: false, tookMs: tookMs(), reason: error.fault, message: error.message }
    } finally {
      await dispatcher.destroy()
    }
  },
  async probeChat(connection, upstreamModel): Promise<ProbeResult> {
    const startedMs = performance.now()
    const failure = await probeChat(connection, upstreamModel)
    const tookMs = Math.round(performance.now() - startedMs)
    return failure ? { ok: false, tookMs, ...failure } : { ok: true, tookMs, models: [unsized(upstreamModel)] }
  },
})
