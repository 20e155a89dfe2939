import { heading, list, type Page, table, text } from '../blocks.ts'

export const webhooks: Page = {
  slug: 'webhooks',
  title: 'Webhooks',
  lead: 'Receive the events of your account on your own server.',
  blocks: [
    text(
      'Add an https URL under [Settings](/settings/webhooks) and choose its events. Requests follow the Standard Webhooks specification, so you can verify them with the `standardwebhooks` libraries, which exist for most languages.',
    ),
    heading('request', 'The request'),
    text('Each event is a POST request with `{"type", "timestamp", "data"}`. `data` holds ids, and money as decimal strings.'),
    table(
      'Events',
      ['Type', '`data`', 'When'],
      ['`top_up.succeeded`', '`entry_id`, `payment_id`, `amount`, `debt_paid`, `currency`', 'A top-up was credited.'],
      ['`top_up.failed`', '`payment_id`, `amount`, `currency`', 'A payment failed.'],
      ['`balance.low`', '`balance`, `threshold`', 'The balance fell below your threshold. Sent once each time.'],
      ['`video.completed`', '`task_id`, `request_id`, `model`, `seconds`, `cost`', 'A video is ready.'],
      [
        '`spending.alert`',
        '`alert_id`, `period`, `since`, `amount`, `spent`, `key_name`',
        'Spending in a `day` or `month` reached the amount that you set. `key_name` is null for the whole account.',
      ],
      ['`webhook.test`', '`message`, `endpoint_id`', 'You sent a test.'],
    ),
    heading('verify', 'Verify the sender'),
    list(
      '`webhook-id` is the id of the event. It stays the same each time the event is sent. Store the ids that you have received, and process each event once.',
      '`webhook-timestamp` is the time in seconds. Reject requests that are older than five minutes.',
      '`webhook-signature` holds `v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`. The key is the part of the secret after `whsec_`, decoded from base64. For 24 hours after you create a new secret there are two signatures, separated by a space.',
    ),
    heading('retry', 'Retries'),
    list(
      'Respond with a status from 200 to 299 within 10 seconds. Anything else is a failure, including redirects.',
      'A failed delivery is retried after 5 seconds, after 1, 5 and 30 minutes, after 2 and 5 hours, and twice after 8 hours.',
      'An endpoint that has accepted nothing for three days is turned off. One that responds with 410 is turned off at once. You get an email in both cases.',
    ),
  ],
}
