import type { Content } from '../blocks.ts'

/** What each condition means to a caller. */
export const errors: Content['errors'] = {
  invalid_request: {
    when: 'The body is no JSON object, a field is wrong or cannot be carried to the model’s vendor, or the vendor does not accept the request.',
    todo: 'Mend the field that `param` names. A repeat fails again.',
  },
  context_exceeded: {
    when: 'The request has more tokens than the model’s context holds. Found before anything is held, or by the model’s vendor; nothing is charged.',
    todo: 'Shorten the field that `param` names, or all of it, or take a model with a larger [context](/models?sort=context).',
  },
  idempotency_mismatch: {
    when: 'The Idempotency-Key was used within a day for a request with another path or body.',
    todo: 'Use a new key for a new request.',
  },
  unknown_previous: {
    when: '`previous_response_id` names no stored response of this account.',
    todo: 'Send the whole conversation as `input`.',
  },
  invalid_key: {
    when: 'There is no key, or it is wrong, revoked, expired or not allowed from this address: one answer for all of them.',
    todo: 'Send `Authorization: Bearer sk-tg-…`, or make a new [key](/keys).',
  },
  wrong_signature: {
    when: 'The address of a file has no signature or a wrong one.',
    todo: 'Use the address as the API answered it, whole.',
  },
  expired_file: { when: 'The time in the address of a file is over.', todo: 'Make it anew, and copy it in time.' },
  unknown_path: {
    when: 'There is no such address under `/v1` or `/files`.',
    todo: 'Check the base URL, which ends with `/v1`, and the path.',
  },
  unknown_model: {
    when: 'The model does not exist, is not in the key’s group, or not on the key’s list: one answer for all of them.',
    todo: 'Pick one from `GET /v1/models`.',
  },
  unknown_response: {
    when: 'The id names no stored response of this account: never one, not stored, deleted or expired.',
    todo: 'Check the id; store a response with `store: true`.',
  },
  unknown_file: {
    when: 'The address is good and the file is not here any more.',
    todo: 'Make it anew; tell the operator if it happens again.',
  },
  unknown_task: {
    when: 'The task never was, was begun more than 24 hours ago, or is another account’s.',
    todo: 'Begin a new task, and keep its id.',
  },
  wrong_method: { when: 'The address has another method.', todo: 'Use the one in the header `Allow`.' },
  upload_too_slow: { when: 'The body came slower than 1 KiB a second.', todo: 'Send it again over a better line.' },
  idempotency_running: {
    when: 'The first request with this Idempotency-Key is under way.',
    todo: 'Wait as long as `Retry-After` says, then send the same again: it gets the first one’s answer.',
  },
  idempotency_spent: {
    when: 'The first request with this Idempotency-Key was charged, and its answer broke off, or was a stream of more than 8 MiB, which is not kept.',
    todo: 'Use a new key to ask again; that is charged again.',
  },
  task_completed: { when: 'A task is to be cancelled that is completed and charged.', todo: 'Get its result.' },
  too_large: { when: 'The body is larger than this gateway takes.', todo: 'Send less, or name large media by URL.' },
  wrong_content: {
    when: 'The body has the wrong type, or is compressed.',
    todo: 'Send it plain, with the `Content-Type` that the [reference](/docs/api) names.',
  },
  wrong_range: { when: 'The range that was asked of a file begins after its end.', todo: 'Ask for a range inside it.' },
  no_quota: {
    when: 'The balance or a spending limit of the key does not cover what the request could cost, or the account is suspended.',
    todo: 'Get credit, raise the limit, or send a smaller `max_tokens`. Waiting does not help.',
  },
  too_many_requests: {
    when: 'The key’s requests a minute or at once are used up, its account has as many requests under way as it may, its running requests hold half of the balance, those of the account hold what this one could cost, an address sent too many bad keys, the account’s uploads or large requests under way take all the room that it may have, or the vendor is at its limit.',
    todo: 'Wait as long as `Retry-After` says.',
  },
  too_many_tokens: { when: 'The key’s tokens a minute are used up.', todo: 'Wait as long as `Retry-After` says, or send less.' },
  internal: {
    when: 'A mistake of the gateway or its catalog. Nothing is charged.',
    todo: 'Try again; if it stays, tell the operator the request id.',
  },
  vendor_failed: {
    when: 'The vendor broke off or answered what cannot be read. In mid-stream this is an event.',
    todo: 'Try again, with a growing pause. For a picture, try another prompt.',
  },
  maintenance: { when: 'The API is closed for maintenance.', todo: 'Try again after `Retry-After`.' },
  overloaded: { when: 'The gateway has more to do than it can.', todo: 'Try again after `Retry-After`.' },
  unavailable: {
    when: 'No deployment of the model can answer at the moment, or the gateway is being restarted. In mid-stream this is an event.',
    todo: 'Try again later, or use another model.',
  },
}

/** As lib/ledger/README.md has them, word for word. */
export const outcomes: Content['outcomes'] = [
  ['whole answer, or stream to its `[DONE]`', "the vendor's count; without one, an estimate, marked", '`finished`'],
  ['refused before the vendor was called', 'nothing', '`refused`'],
  [
    'deployments failed before output, and another one answered',
    "the answer, once; what the others bill is the house's",
    '`finished`',
  ],
  ['every vendor that was tried failed before output', 'nothing', '`vendor_failed`'],
  [
    'vendor failed in mid-stream',
    'what was delivered: reported usage, but no less output than was counted; else input and counted output',
    '`cut`',
  ],
  [
    'client left a stream of text whose tokens are all seen, or took nothing for a minute',
    'vendor is aborted; input and counted output, marked. Nothing where no vendor had got the request, or the last one had refused it or failed',
    '`client_gone`',
  ],
  [
    'speech that broke off or was left, once its vendor was asked',
    'what vendors bill at once: all characters, exact; by tokens an estimate of all of it, marked. Before its first byte nothing, unless the client left',
    '`cut`, `client_gone`',
  ],
  [
    'client left anything else (whole answers, streams of images, transcriptions, hidden reasoning, several choices, requests with images, files or sounds, idempotent requests)',
    "runs on within the hold and the time limit; the vendor's count. Nothing where the vendor fails before its first word",
    '`client_gone`',
  ],
  [
    'vendor failed in mid-stream, or after its client left, before an image was complete',
    'nothing: what was shown on the way is not what is sold. Images that were complete are charged',
    '`vendor_failed`, `client_gone`; `cut`',
  ],
  ['vendor made fewer images than were asked for', 'those that came; none of them is `vendor_failed`', '`finished`'],
  ['the gateway could not store what was made', 'nothing, and no other vendor is asked', '`vendor_failed`'],
  [
    'the gateway was stopped, and DRAIN_MS was over before the answer was whole',
    'as vendor failed in mid-stream; before output, and of whole answers, nothing',
    '`cut`, `refused`',
  ],
  ['the vendor took longer than REQUEST_TIMEOUT_MS', 'as vendor failed, before or after output', '`vendor_failed`, `cut`'],
  ['a video is finished', 'its seconds, once, in the transaction that makes it `completed`', '`finished`'],
  [
    'a video fails with its vendor; no vendor begins it, or the answer of the one that was asked is lost',
    'nothing',
    '`vendor_failed`',
  ],
  [
    'a video takes longer than VIDEO_TIMEOUT_MS, or its vendor cannot be asked for VIDEO_SILENCE_MS',
    'nothing; the vendor is told to stop',
    '`timed_out`',
  ],
  [
    'a video is cancelled',
    'nothing, though its vendor finish it after that; the vendor is told to stop, where it has begun by then',
    '`cancelled`',
  ],
  [
    'whoever asked for a video was told 503 because nobody knew whether it was booked, and it was',
    'nothing: it is ended; with an Idempotency-Key it runs on, for the repeat',
    '`undelivered`',
  ],
  [
    'the database is down at the last byte of a whole answer',
    '503 after SETTLE_TIMEOUT_MS and nothing: a void is posted, and gives a charge back that got through after all; until it is posted it stands in DATA_DIR/undelivered, and the next start posts it. Where a repeat with the same Idempotency-Key got the answer before that, it is paid for',
    '`undelivered`',
  ],
  [
    'the database is down at the last byte of a stream',
    'the stream waits for it; its charge is posted until it is durable',
    '`finished`',
  ],
  ['the gateway died', 'nothing that was not settled; its leases come back after one life', 'no record'],
  [
    'its process was taken for dead, and another request has its Idempotency-Key',
    'nothing: that other request is charged',
    '`undelivered`',
  ],
  [
    'the vendor used more than the hold',
    'min(actual, hold + what of the balance no process has set aside); the rest is a recorded `shortfall` that the house bears',
    'as above',
  ],
]
