import type { ForwardCall, VendorAnswer } from '../vendor.ts'

/** A call of the sandbox for a test; `body` needs no model. */
export function callOf(body: Record<string, unknown>, given: Partial<ForwardCall> & { model?: string } = {}): ForwardCall {
  const { model = 'sandbox/chat', ...rest } = given
  const connection = {
    id: 'con_1',
    name: 'Sandbox',
    kind: 'sandbox',
    baseUrl: null,
    secret: null,
    headers: {},
    connectTimeoutMs: 1000,
    headersTimeoutMs: 1000,
    idleTimeoutMs: 1000,
  }
  return {
    deployment: { id: 'dep_1', upstreamModel: model, weight: 1, priority: 0, connection },
    connection,
    body: { model, ...body },
    stream: body.stream === true,
    cap: 4096,
    choices: typeof body.n === 'number' ? body.n : 1,
    signal: new AbortController().signal,
    ...rest,
  }
}

/** All bytes of an answer, as text. */
export async function textOf(answer: VendorAnswer): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** The payloads of a stream, as they stand behind `data: `. */
export const payloadsOf = (stream: string): string[] =>
  stream
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''))

/** One message of a user. */
export const saying = (content: unknown): { messages: object[] } => ({ messages: [{ role: 'user', content }] })
