import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { respondBedrock } from '../bedrock-frames.ts'
import { RECORDED_DIR } from '../bridged-vendors.ts'
import { type Call, sendJson } from '../vendor.ts'
import { type Fault, type Framing, isStream, type Recorded, type Written } from './row.ts'

/** The lines of a recorded stream: one event each. */
export const recordedLines = (file: string): string[] =>
  readFileSync(resolve(RECORDED_DIR, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')

const linesOf = (bytes: Recorded | Written): string[] =>
  'recorded' in bytes ? recordedLines(bytes.recorded) : (bytes.written as readonly object[]).map((event) => JSON.stringify(event))

/** An event as the vendor frames it. An object `{ comment }` is a line that keeps the connection alive. */
function framed(line: string, framing: Framing): string {
  const { comment, type } = JSON.parse(line) as { comment?: string; type?: string }
  if (comment !== undefined) return `: ${comment}\n\n`
  return framing === 'named' ? `event: ${type}\ndata: ${line}\n\n` : `data: ${line}\n\n`
}

/** Answers with these bytes, as the vendor sends them. */
export const respondWithBytes =
  (bytes: Recorded | Written, framing: Framing) =>
  (call: Call): void => {
    if (!isStream(bytes)) {
      const whole =
        'recorded' in bytes ? readFileSync(resolve(RECORDED_DIR, bytes.recorded), 'utf8') : JSON.stringify(bytes.written)
      call.response.writeHead(200, { 'content-type': 'application/json' }).end(whole)
      return
    }
    const lines = linesOf(bytes)
    if (framing === 'frames') {
      // Cut in the middle of frames, as on a network.
      respondBedrock(lines.join('\n'), true, 37)(call)
      return
    }
    call.response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const line of lines) call.response.write(framed(line, framing))
    call.response.end(framing === 'done' ? 'data: [DONE]\n\n' : '')
  }

/** Answers with an error. */
export const respondFault =
  ({ status, body, headers = {} }: Fault) =>
  (call: Call): void => {
    if (typeof body === 'object') sendJson(call, body, status, headers)
    else call.response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  }

/** The parts of an error that only the operator may read: every text in it that is more than a word. */
export function operatorTextsOf(body: unknown): string[] {
  if (typeof body === 'string') return body.trim().includes(' ') ? [body] : []
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(operatorTextsOf) : []
}
