import { heading, list, type Page, table, text } from '../blocks.ts'

export const webhooks: Page = {
  slug: 'webhooks',
  title: 'Webhooks',
  lead: 'Your server is told what happens to the account.',
  blocks: [
    text(
      'Add an https address under [Settings](/settings/webhooks) and choose its events. Requests follow the Standard Webhooks specification, so the libraries called `standardwebhooks` verify them in most languages.',
    ),
    heading('request', 'A request'),
    text('Each is a POST with `{"type", "timestamp", "data"}`. `data` holds ids, and money as decimal strings.'),
    table(
      'Events',
      ['Type', '`data`', 'When'],
      ['`top_up.succeeded`', '`entry_id`, `payment_id`, `amount`, `debt_paid`, `currency`', 'A top-up was credited.'],
      ['`top_up.failed`', '`payment_id`, `amount`, `currency`', 'A payment failed.'],
      ['`balance.low`', '`balance`, `threshold`', 'The balance fell below your mark, once each time.'],
      ['`video.completed`', '`task_id`, `request_id`, `model`, `seconds`, `cost`', 'A video is ready.'],
      [
        '`spending.alert`',
        '`alert_id`, `period`, `since`, `amount`, `spent`, `key_name`',
        'Spending of a `day` or `month` reached the amount that you have set; `key_name` is null for the whole account.',
      ],
      ['`webhook.test`', '`message`, `endpoint_id`', 'You sent a test.'],
    ),
    heading('verify', 'Check that it comes from here'),
    list(
      '`webhook-id` is the event’s id. It stays the same however often the event is sent: keep the ids that you have seen, and take each once.',
      '`webhook-timestamp` is the time in seconds. Refuse what is older than five minutes.',
      '`webhook-signature` holds `v1,` and the base 64 of the HMAC-SHA256 of `id.timestamp.body`. The key is the secret after `whsec_`, read as base 64. There are two signatures, with a space between them, for 24 hours after a new secret was made.',
    ),
    heading('retry', 'When it is sent again'),
    list(
      'Answer 200 to 299 within 10 seconds. Everything else is a failure, redirections too.',
      'A failure is tried again after 5 seconds, 1, 5 and 30 minutes, 2 and 5 hours, and twice after 8 hours.',
      'An endpoint that took nothing for three days is switched off, and one that answers 410 at once. You get a mail.',
    ),
  ],
}
