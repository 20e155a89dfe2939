import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const errors: Page = {
  slug: 'errors',
  title: 'Errors',
  lead: 'Every error that the API returns, and what to do about each one.',
  blocks: [
    text(
      'Every error has the same body: `{"error": {"message", "type", "param", "code"}}`. `message` says what is wrong and what to do next. `param` is the path of the field at fault, such as `messages[0].role`, or null. Use `code` to tell errors apart.',
    ),
    sample('errors', 'Reading an error'),
    heading('retry', 'When to retry'),
    list(
      'Retry after 408, 409 with `idempotency_in_progress`, 429 with `rate_limit_exceeded`, 500 and 503. Wait as long as `Retry-After` says. If there is no such header, double the delay after each attempt.',
      'Do not retry after any other 4xx or after `insufficient_quota`: the same request fails again.',
      'With an [Idempotency-Key](/docs/idempotency), a retry is never charged twice.',
    ),
    text('Every response has an `x-request-id`. Include it when you ask the operator for help.'),
    heading('all', 'All errors'),
    { kind: 'errors' },
  ],
}

const idempotency: Page = {
  slug: 'idempotency',
  title: 'Idempotency',
  lead: 'Retry a request whose response was lost, without paying for it twice.',
  blocks: [
    text(
      'Choose an idempotency key for the request, up to 255 printable characters without spaces, and send it in the `Idempotency-Key` header. The first request with this idempotency key runs. For 24 hours, every other request from the same account with the same idempotency key, path and body gets the first response again, streams included, with `x-tollgate-replayed` and at a cost of 0.',
    ),
    sample('idempotency', 'A request that is safe to retry'),
    list(
      'While the first request is in progress, a repeat gets a 409 with `Retry-After: 1`.',
      'The same idempotency key with another path or body gets a 400: `idempotency_key_reused`.',
      'If the first request was refused, or failed without a charge, its result is not kept and a repeat runs.',
      'If the first request was charged but its response broke off, or was a stream of more than 8 MiB, a repeat gets a 409, `idempotency_answer_not_kept`, and is not charged.',
      'If the client disconnects, the request keeps running. Its response is charged and kept for the repeat.',
      'A response that is deleted, or whose history is deleted, is still returned to a repeat until the 24 hours are over.',
    ),
    text(
      'The response is stored in the same transaction as its charge, so either both exist or neither does. The permissions of the API key are checked again before a response is replayed.',
    ),
  ],
}

const billing: Page = {
  slug: 'billing',
  title: 'Billing',
  lead: 'What is held, what is charged, and what a receipt shows.',
  blocks: [
    heading('way', 'How a request is paid for'),
    list(
      'Before a vendor is called, the most that the request can cost is **held** on the balance. Held money cannot be spent twice.',
      'When the response is complete, its usage is **charged** and the rest of the hold is released. The last byte is sent only when the charge is durable.',
      'The balance never goes below zero. If a vendor uses more than the hold and the available balance cover, Tollgate absorbs the difference.',
    ),
    heading('receipt', 'The receipt'),
    text(
      'Money is counted in whole nano-dollars. Each line of a receipt is the count of a unit, times its price, times the factor of the key’s group, rounded up once. The total is the sum of the lines. The price is the one in force when the request was admitted. Units never overlap: cached input is not also counted as input.',
    ),
    text(
      'Counts are the vendor’s own. If a vendor reports none, the gateway counts, and the receipt says that the count is an estimate and why.',
    ),
    heading('top-up', 'Automatic top-up'),
    text(
      'With a saved card, you can turn on automatic top-up on the [billing page](/billing). When your available balance falls below a threshold, an amount that you choose is charged to the card, up to a monthly limit (UTC). Money held by running requests does not count as available. The balance changes when Stripe confirms the payment, usually within seconds.',
    ),
    list(
      'A payment that the bank declines is retried after an hour, and again twelve hours later. After the third failure in a row, automatic top-up is turned off. Each failure is reported by email.',
      'If the bank requires you to confirm a payment yourself, or the card has expired, automatic top-up is turned off at once. Top up manually, or save another card.',
      'Nothing is charged while the account is suspended or owes money.',
    ),
    heading('alerts', 'Spending alerts'),
    text(
      'You can get an email when spending reaches an amount in a day or a month (UTC), for the whole account or for one key. It is sent once per day or month. An alert does not stop any requests. The limits of a key do.',
    ),
    heading('outcomes', 'How a request can end'),
    { kind: 'outcomes' },
  ],
}

const video: Page = {
  slug: 'video',
  title: 'Videos',
  lead: 'A video takes minutes. Create a task, poll its status, and download the result.',
  needs: '/v1/videos/generations',
  blocks: [
    sample('video', 'A video, from prompt to URL'),
    heading('states', 'States'),
    table(
      'States of a task',
      ['State', 'Meaning'],
      ['`pending`', 'Waiting to start'],
      ['`processing`', 'In progress'],
      ['`completed`', 'Ready: `video_url` is its URL'],
      ['`failed`', 'Not completed and not charged: `error` says why'],
    ),
    text(
      'A task only moves down this table, never back up. A task that stays unfinished for too long is cancelled: it becomes `failed`, and its hold is released.',
    ),
    heading('cancel', 'Cancelling a task'),
    text(
      '`POST /v1/videos/generations/{id}/cancel` ends a task that is not completed. The task becomes `failed` and is not charged.',
    ),
    heading('polling', 'How often to poll'),
    text(
      'Poll every 5 to 10 seconds for videos of 5 and 10 seconds, and every 15 to 30 seconds for videos of 15 and 20 seconds. Polling is free.',
    ),
    heading('life', 'How long tasks are kept'),
    text(
      'A task and its `video_url` are available for 24 hours after the task was created. After that, and for every other account, the response is a 404 with `task_not_found`. Download the video before then.',
    ),
  ],
}

const files: Page = {
  slug: 'files',
  title: 'Files',
  lead: 'Where to find the images, audio and videos that models generate, and how to send your own files.',
  blocks: [
    heading('results', 'Results'),
    text(
      'Generated files are kept for a limited time, each at a signed URL under `/files`. Anyone with the URL can read the file until it expires, without a key. A URL without its signature gets a 403, and so does an expired one.',
    ),
    list(
      '`Range` requests work, so players can seek.',
      'Files never change. The `etag` of a file is its id.',
      'Copy what you want to keep. Files here are temporary.',
    ),
    heading('chat', 'Images in a chat'),
    text(
      'Some chat models make images as part of their answer. Ask for them with `modalities: ["image", "text"]`. The images are in `images` of the message, or of a delta of a stream, as `data:` URLs, and in a response they are items of the type `image_generation_call`. `image_config`, such as `{"aspect_ratio": "16:9", "image_size": "2K"}`, is passed on to vendors that know it. To show an image to a model again, send it in a message of the role `user`.',
    ),
    text(
      'Their tokens are billed at the price “image output” of the [model](/models), which is several times that of text, and are `image_tokens` in the usage, as part of the output. A model without this price cannot be asked for images, and the request gets a 400. As a model with this price may make images without being asked, all of its output is held for at this price. A lower `max_tokens` holds less. If the vendor does not report what its images used, each counts as 6,240 tokens, within the hold, and the receipt says so.',
    ),
    heading('sending', 'Sending files'),
    text(
      'In messages, send images as `data:` URLs or public URLs, documents as `data:` URLs, and audio in base64. Endpoints that take a file accept `multipart/form-data`. Image edits also accept JSON, with `images` and `mask` as `data:` URLs. The type of a file is detected from its first bytes, whatever its name. A file of the wrong type or size is refused during the upload.',
    ),
    heading('not', 'No file storage'),
    text(
      'There is no API for uploading files to be stored, for batches or for fine-tuning. A field that names such a file gets a 400.',
    ),
  ],
}

export const more = { errors, idempotency, billing, video, files }
