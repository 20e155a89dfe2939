import { type ChatRow, SECRET } from '../row.ts'

const none = { none: 'It is a simulation inside the gateway, and has no wire: lib/vendors/sandbox/*.test.ts.' }

export const sandbox: ChatRow = {
  upstreamModel: 'sandbox/chat',
  path: '',
  credential: ['authorization', SECRET],
  framing: 'bare',
  text: none,
  stream: none,
  tools: none,
  toolStream: none,
  cached: none,
  reasoning: none,
  faults: { credentials: none, funds: none, request: none, rate: none, failure: none },
  brokenStream: none,
}
