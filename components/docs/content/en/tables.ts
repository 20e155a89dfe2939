import type { Content } from '../blocks.ts'

/** The meaning of each condition to a caller. */
export const errors: Content['errors'] = {
  invalid_request: {
    when: 'The body is not a JSON object, a field is wrong or cannot be passed on to the model’s vendor, or the vendor rejects the request.',
    todo: 'Correct the field that `param` names. The same request fails again.',
  },
  context_exceeded: {
    when: 'The request has more tokens than the model’s context holds. The gateway finds this before anything is held, or the vendor reports it. Nothing is charged.',
    todo: 'Shorten the field that `param` names or the whole request, or use a model with a larger [context](/models?sort=context).',
  },
  idempotency_mismatch: {
    when: 'The Idempotency-Key was used within the last 24 hours for a request with another path or body.',
    todo: 'Use a new idempotency key for a new request.',
  },
  unknown_previous: {
    when: '`previous_response_id` does not name a stored response of this account.',
    todo: 'Send the whole conversation as `input`.',
  },
  invalid_key: {
    when: 'The key is missing, wrong, revoked, expired or not allowed from this address. The error is the same for all of these.',
    todo: 'Send `Authorization: Bearer sk-tg-…`, or create a new [key](/keys).',
  },
  wrong_signature: {
    when: 'The URL of a file has no signature or a wrong one.',
    todo: 'Use the complete URL that the API returned.',
  },
  expired_file: { when: 'The URL of a file has expired.', todo: 'Generate the file again, and copy it before its URL expires.' },
  unknown_path: {
    when: 'There is no such path under `/v1` or `/files`.',
    todo: 'Check the base URL, which ends with `/v1`, and the path.',
  },
  unknown_model: {
    when: 'The model does not exist, is not in the key’s group, or is not one that the key may use. The error is the same for all of these.',
    todo: 'Choose one from `GET /v1/models`.',
  },
  unknown_response: {
    when: 'The id does not name a stored response of this account. The response never existed, was not stored, was deleted or has expired.',
    todo: 'Check the id. Store responses with `store: true`.',
  },
  unknown_file: {
    when: 'The URL is valid, but the file is no longer here.',
    todo: 'Generate it again. If it happens again, tell the operator.',
  },
  unknown_task: {
    when: 'The task does not exist, was created more than 24 hours ago, or belongs to another account.',
    todo: 'Create a new task, and keep its id.',
  },
  wrong_method: { when: 'The path does not take this method.', todo: 'Use the method in the `Allow` header.' },
  upload_too_slow: {
    when: 'The body arrived more slowly than 1 KiB per second.',
    todo: 'Send it again over a faster connection.',
  },
  idempotency_running: {
    when: 'The first request with this Idempotency-Key is still in progress.',
    todo: 'Wait as long as `Retry-After` says, then send the same request again to get the first response.',
  },
  idempotency_spent: {
    when: 'The first request with this Idempotency-Key was charged, but its response broke off or was not kept because it was a stream of more than 8 MiB.',
    todo: 'To run the request again, use a new idempotency key. It is charged again.',
  },
  task_completed: {
    when: 'The task cannot be cancelled because it is already completed and charged.',
    todo: 'Get its result.',
  },
  too_large: { when: 'The body is larger than this gateway accepts.', todo: 'Send less, or pass large media by URL.' },
  wrong_content: {
    when: 'The body has the wrong type or is compressed.',
    todo: 'Send it uncompressed, with the `Content-Type` that the [reference](/docs/api) names.',
  },
  wrong_range: {
    when: 'The requested range starts after the end of the file.',
    todo: 'Request a range within the file.',
  },
  no_quota: {
    when: 'The balance or a spending limit of the key does not cover what the request could cost, or the account is suspended.',
    todo: 'Add credit, raise the limit, or send a smaller `max_tokens`. Waiting does not help.',
  },
  too_many_requests: {
    when: 'The key has used up its requests per minute or has too many in progress, or its running requests hold half of the balance. Or the account has too many requests in progress, its running requests hold the money that this one could cost, or its uploads and large requests in progress take up all the space they may have. Or an address sent too many wrong keys, or the vendor is at its limit.',
    todo: 'Wait as long as `Retry-After` says.',
  },
  too_many_tokens: {
    when: 'The key has used up its tokens per minute.',
    todo: 'Wait as long as `Retry-After` says, or send less.',
  },
  internal: {
    when: 'There is a fault in the gateway or its catalog. Nothing is charged.',
    todo: 'Retry. If the error persists, give the operator the request id.',
  },
  vendor_failed: {
    when: 'The vendor broke off or sent a response that cannot be read. During a stream, the error is sent as an event.',
    todo: 'Retry with increasing delays. For an image, try another prompt.',
  },
  maintenance: { when: 'The API is closed for maintenance.', todo: 'Retry after the time in `Retry-After`.' },
  overloaded: { when: 'The gateway is overloaded.', todo: 'Retry after the time in `Retry-After`.' },
  unavailable: {
    when: 'No deployment of the model can respond at the moment, or the gateway is restarting. During a stream, the error is sent as an event.',
    todo: 'Retry later, or use another model.',
  },
}

/** Identical, word for word, to the table in lib/ledger/README.md. */
export const outcomes: Content['outcomes'] = [
  [
    'The whole response, or a stream up to its `[DONE]`, was delivered',
    "The vendor's count. If there is none, an estimate, marked as such",
    '`finished`',
  ],
  ['The request was refused before the vendor was called', 'Nothing', '`refused`'],
  [
    'Deployments failed before any output, and another one answered',
    'The response, once. Tollgate absorbs what the other vendors bill',
    '`finished`',
  ],
  ['Every vendor that was tried failed before any output', 'Nothing', '`vendor_failed`'],
  [
    'The vendor failed during the stream',
    'What was delivered: the reported usage, but no less output than was counted. If no usage was reported, the input and the counted output',
    '`cut`',
  ],
  [
    'The client disconnected from a text stream that shows all of its tokens, or read nothing for a minute',
    'The input and the counted output, marked as an estimate. The vendor is told to stop. Nothing if no vendor had received the request, or the last one had refused it or failed',
    '`client_gone`',
  ],
  [
    'Speech broke off, or its client disconnected, after a vendor was called',
    'What vendors bill up front: all characters, exactly, or an estimate of the whole speech if it is billed by tokens, marked as such. Nothing before the first byte, unless the client disconnected',
    '`cut`, `client_gone`',
  ],
  [
    'The client disconnected from anything else (responses that are not streamed, image streams, transcriptions, hidden reasoning, several choices, requests with images, files or audio, chats with a model that may make images, idempotent requests)',
    "The vendor's count. The request runs on within its hold and the time limit. Nothing if the vendor fails before any output",
    '`client_gone`',
  ],
  [
    'The vendor failed during an image stream, or after its client disconnected, before an image was complete',
    'Nothing: previews are not charged. Images that were complete are charged',
    '`vendor_failed`, `client_gone`; `cut`',
  ],
  [
    'The vendor generated fewer images than requested',
    'The images that it returned. If there are none, the outcome is `vendor_failed`',
    '`finished`',
  ],
  ['The gateway could not store the generated media', 'Nothing, and no other vendor is tried', '`vendor_failed`'],
  [
    'The gateway was stopped, and DRAIN_MS passed before the response was complete',
    'As if the vendor had failed during the stream. Nothing before any output, or if the response is not streamed',
    '`cut`, `refused`',
  ],
  [
    'The vendor took longer than REQUEST_TIMEOUT_MS',
    'As if the vendor had failed, before or after output',
    '`vendor_failed`, `cut`',
  ],
  ['A video was completed', 'Its seconds, once, in the transaction that makes it `completed`', '`finished`'],
  [
    'A video failed at its vendor, no vendor started it, or the response of the vendor that was asked was lost',
    'Nothing',
    '`vendor_failed`',
  ],
  [
    'A video took longer than VIDEO_TIMEOUT_MS, or its vendor could not be reached for VIDEO_SILENCE_MS',
    'Nothing. The vendor is told to stop',
    '`timed_out`',
  ],
  [
    'A video was cancelled',
    'Nothing, even if its vendor completes it later. The vendor is told to stop if it has already started',
    '`cancelled`',
  ],
  [
    'The client got a 503 because it was not known whether its video was booked, and it was',
    'Nothing: the video is ended, or its charge given back if it is completed by then. Until that is done, it is noted in DATA_DIR/undelivered, and the next start does it. With an Idempotency-Key the video runs on for the repeat',
    '`undelivered`',
  ],
  [
    'The database was down at the last byte of a response that is not streamed',
    'Nothing. The client gets a 503 after SETTLE_TIMEOUT_MS, and a void is posted, which gives back a charge that was recorded after all. Until the void is posted, it is kept in DATA_DIR/undelivered, and the next start posts it. If a repeat with the same Idempotency-Key got the response before that, it is charged',
    '`undelivered`',
  ],
  [
    'The database was down at the last byte of a stream',
    'As usual. The stream waits for the database, and its charge is posted until it is durable',
    '`finished`',
  ],
  [
    'The gateway crashed',
    'Nothing that was not yet settled. The leases of the process are returned after one lifetime',
    'No record',
  ],
  [
    'The process was taken for dead, and another request got the same Idempotency-Key',
    'Nothing: the other request is charged',
    '`undelivered`',
  ],
  [
    'The vendor used more than the hold',
    'min(actual, hold + the part of the balance that no process has set aside). The rest is recorded as a `shortfall`, which Tollgate absorbs. A limit of the key bounds what may be held, not this: it is then exceeded, and the next request refused',
    'As above',
  ],
]
