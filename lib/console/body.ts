import { messageWith } from '../messages/message.ts'
import { ServiceError } from '../services/service-error.ts'
import { readBytes } from './read-bytes.ts'

/** The largest body, in bytes. No form of the console sends more. */
export const MAX_BODY_BYTES = 64 * 1024

const createTooLargeError = () =>
  new ServiceError(
    'too_large',
    messageWith('The request is larger than {most} KiB. Send less at once.', { most: MAX_BODY_BYTES / 1024 }),
  )

/** Refuses what is not plain JSON. A browser can send other types to another site without asking it first (preflight). */
export function checkContentType(headers: Headers): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (type !== 'application/json' || encoding !== 'identity') {
    throw new ServiceError('wrong_content', 'Send uncompressed JSON with "Content-Type: application/json".')
  }
}

/** Reads the JSON of a request. Errors: `too_large`; `invalid_input` if it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  if (bytes === null) throw createTooLargeError()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ServiceError('invalid_input', 'The request is not valid JSON.')
  }
}
