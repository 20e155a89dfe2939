import { Refusal } from '../domain/errors.ts'

/** Another process, or the next one, can answer soon. */
const STOPPED_RETRY_S = 2

/** The process is ending and has no time to wait for the rest of an answer. `charged`: the client pays for what it received. */
export const refuseStopped = (charged = false): Refusal =>
  new Refusal(
    'unavailable',
    `The gateway is restarting and could not wait for the end of this answer. ${charged ? 'What was delivered is charged.' : 'Nothing was charged.'} Try again.`,
    { retryAfter: STOPPED_RETRY_S, detail: 'the process stopped' },
  )

/** The same for the rest of a request. What is still being sent is not read, so the connection cannot be used again. */
export const refuseStoppedUpload = (): Refusal =>
  new Refusal(
    'unavailable',
    'The gateway is restarting and could not wait for the end of this request. Nothing was charged. Send it again.',
    { retryAfter: STOPPED_RETRY_S, detail: 'the process stopped', headers: { connection: 'close' } },
  )
