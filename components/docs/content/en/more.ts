import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const errors: Page = {
  slug: 'errors',
  title: 'Errors',
  lead: 'Every way in which the API refuses, and what to do about each.',
  blocks: [
    text(
      'Every refusal has the same body: `{"error": {"message", "type", "param", "code"}}`. `message` says what is wrong and what to do next; `param` is the field at fault as a path, such as `messages[0].role`, or null. Tell them apart by `code`.',
    ),
    sample('errors', 'Reading an error'),
    heading('retry', 'When to try again'),
    list(
      'Try again after 408, 409 with `idempotency_in_progress`, 429 with `rate_limit_exceeded`, 500 and 503: after as long as `Retry-After` says, else with a pause that doubles.',
      'Do not try again after another 4xx, nor after `insufficient_quota`: the same request fails again.',
      'With an [Idempotency-Key](/docs/idempotency) a repeat is never charged twice.',
    ),
    text('Every answer has `x-request-id`. Say it when you ask the operator for help.'),
    heading('all', 'All errors'),
    { kind: 'errors' },
  ],
}

const idempotency: Page = {
  slug: 'idempotency',
  title: 'Idempotency',
  lead: 'Repeat a request whose answer was lost, without paying for it twice.',
  blocks: [
    text(
      'Give a request a name of your own in the header `Idempotency-Key`, of up to 255 printable characters without spaces. The first request with it runs. For 24 hours, each further one of the account with the same name, path and body gets the first one’s answer again, streams included, with `x-tollgate-replayed` and at a cost of 0.',
    ),
    sample('idempotency', 'A request that can be repeated'),
    list(
      'While the first one runs, a repeat is a 409 with `Retry-After: 1`.',
      'The same name with another path or body is a 400: `idempotency_key_reused`.',
      'A request that was refused, or failed without a charge, is not kept: its repeat runs.',
      'Where the first one was charged and its answer broke off, or was a stream of more than 8 MiB, a repeat is a 409, `idempotency_answer_not_kept`, and is not charged.',
      'A client that leaves does not stop such a request: its answer waits for the repeat, and is charged.',
    ),
    text(
      'The answer is kept in the same transaction as its charge: either both are there or neither is. The rights of the key are checked again before an answer is replayed.',
    ),
  ],
}

const billing: Page = {
  slug: 'billing',
  title: 'Billing',
  lead: 'What is held, what is charged, and what a receipt says.',
  blocks: [
    heading('way', 'The way of the money'),
    list(
      'Before a vendor is called, the most that the request can cost is **held** on the balance. What is held cannot be spent twice.',
      'When the answer is complete, its usage is **charged** and the rest of the hold is free again. The last byte leaves when the charge is durable.',
      'The balance is never below zero. What a vendor used beyond the hold and the free balance, the house bears.',
    ),
    heading('receipt', 'The receipt'),
    text(
      'Money is counted in whole nano-dollars. A line of a receipt is the count of a unit, times its price, times the factor of the key’s group, rounded up once; the total is the sum of the lines. The price is the one that was in force when the request was admitted. Units never overlap: cached input is not counted as input as well.',
    ),
    text(
      'A count is the vendor’s own. Where a vendor gives none, the gateway counts, and the receipt says that it is an estimate and why.',
    ),
    heading('top-up', 'Automatic top-up'),
    text(
      'With a saved card, the [billing page](/billing) can top up by itself: when less than a threshold is free, an amount is charged, up to a ceiling in each month (UTC). What running requests hold is not free. The balance changes when Stripe confirms the payment, usually within seconds.',
    ),
    list(
      'A payment that the bank declines is tried again after an hour and after twelve hours more. After the third failure in a row automatic top-up is off. Each failure is told by mail.',
      'Where the bank wants you to confirm a payment yourself, or the card has expired, it is off at once: top up by hand, or save another card.',
      'Nothing is charged while the account is suspended or owes money.',
    ),
    heading('alerts', 'Spending alerts'),
    text(
      'A mail tells of spending that reaches an amount in a day or a month (UTC), of the whole account or of one key, once in each. Nothing is stopped by it; limits of a key stop.',
    ),
    heading('outcomes', 'How a request can end'),
    { kind: 'outcomes' },
  ],
}

const video: Page = {
  slug: 'video',
  title: 'Videos',
  lead: 'A video takes minutes: submit a task, ask how it stands, fetch the result.',
  needs: '/v1/videos/generations',
  blocks: [
    sample('video', 'A video, from prompt to address'),
    heading('states', 'States'),
    table(
      'States of a task',
      ['State', 'Meaning'],
      ['`pending`', 'It waits for its turn'],
      ['`processing`', 'It is being made'],
      ['`completed`', 'It is ready: `video_url` is its address'],
      ['`failed`', 'It was not made, and is not charged: `error` says why'],
    ),
    text(
      'A state only ever moves down this table. A task that stays unfinished too long is cancelled: it is `failed`, and its hold is given back.',
    ),
    heading('cancel', 'Changing your mind'),
    text('`POST /v1/videos/generations/{id}/cancel` ends a task that is not completed. It is `failed` then, and not charged.'),
    heading('polling', 'How often to ask'),
    text(
      'Every 5 to 10 seconds for videos of 5 and 10 seconds, every 15 to 30 seconds for those of 15 and 20. Asking costs nothing.',
    ),
    heading('life', 'How long it lives'),
    text(
      'A task and its `video_url` live for 24 hours from its beginning. After that, and for every other account, the answer is 404 with `task_not_found`. Fetch the video before.',
    ),
  ],
}

const files: Page = {
  slug: 'files',
  title: 'Files',
  lead: 'Where pictures, sounds and videos are that models made, and how to send your own.',
  blocks: [
    heading('results', 'Results'),
    text(
      'What a model made is kept for a while and named by a signed address under `/files`. Whoever has the address can read the file until it expires, without a key. An address without its signature is a 403, and so is one whose time is over.',
    ),
    list(
      '`Range` works: a player can jump.',
      'Files never change; `etag` is their id.',
      'Copy what you want to keep: nothing here is an archive.',
    ),
    heading('sending', 'Sending files'),
    text(
      'Pictures stand in a message as `data:` addresses or public URLs, documents as `data:` addresses, and sounds in base64. Endpoints that take a file take `multipart/form-data`; edits of images also take JSON, with `images` and `mask` as `data:` addresses. A file’s type is told by its first bytes, whatever it is called; one of the wrong type or size is refused while it arrives.',
    ),
    heading('not', 'No file storage'),
    text(
      'There is no API for uploading files that stay, for batches or for fine-tuning: fields that name such a file are a 400.',
    ),
  ],
}

export const more = { errors, idempotency, billing, video, files }
