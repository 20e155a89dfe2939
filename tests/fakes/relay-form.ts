import { pino } from 'pino'
import { Agent } from 'undici'
import { asRefusal } from '#lib/domain/errors'
import type { Answer, IncomingRequest } from '#lib/gateway/answer'
import { type FormRules, readForm } from '#lib/gateway/read-form'
import { errorBody } from '#lib/gateway/respond'
import { openSpool } from '#lib/host/spool'
import { postForm } from '#lib/vendors/upstream'

const MIB = 1024 * 1024
const RULES: FormRules = {
  kind: 'form',
  files: {
    file: { maxCount: 1, maxBytes: 150 * MIB, types: ['audio/*'] },
    image: { maxCount: 4, maxBytes: 4 * MIB, types: ['image/*'] },
  },
}

export const spool = await openSpool(
  {
    DATA_DIR: process.env.DATA_DIR ?? '',
    SPOOL_BYTES: Number(process.env.SPOOL_BYTES ?? 1024 * MIB),
    SPOOL_BYTES_PER_ACCOUNT: 300 * MIB,
  },
  pino({ level: 'silent' }),
)
const agent = new Agent()
const pace = { graceMs: 1500, minBytesPerSecond: 10_000, stallMs: 3000 }
export const state = { running: 0 }

/** Reads a form, forwards it to VENDOR, and returns its answer, or 599 with the reason if the call fails. */
export async function relayForm(request: IncomingRequest, signal: AbortSignal): Promise<Answer> {
  state.running++
  try {
    const accountId = request.headers.get('x-account') ?? 'acc_1'
    const read = await readForm(request, RULES, spool, accountId, { maxBytes: 200 * MIB, pace })
    try {
      const target = { origin: process.env.VENDOR ?? '', path: '/' }
      const answer = await postForm(agent, target, { 'x-secret': 's' }, read.form, { signal: signal })
      const pieces: Uint8Array[] = []
      for await (const piece of answer.body) pieces.push(piece)
      return { status: answer.status, headers: {}, body: Buffer.concat(pieces) }
    } finally {
      await read.dispose()
    }
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal) return { status: refusal.status, headers: {}, body: errorBody(refusal) }
    return { status: 599, headers: {}, body: String((error as { detail?: unknown }).detail ?? error) }
  } finally {
    state.running--
  }
}
