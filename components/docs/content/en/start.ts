import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const quickstart: Page = {
  slug: 'quickstart',
  title: 'Quickstart',
  lead: 'From nothing to a first answer: an account, a key, and the client that you already use.',
  blocks: [
    heading('key', '1. Get a key'),
    text(
      '[Create an account](/sign-up), give it credit, and make a key under [Keys](/keys). The key is shown once. Keep it in the environment, not in code:',
    ),
    text('`export TOLLGATE_KEY=sk-tg-…`'),
    heading('call', '2. Make a call'),
    text(
      'The API has the format of OpenAI’s. Any client of it works: give it this gateway’s base URL and your key, and name a model of the [catalog](/models).',
    ),
    sample('first', 'A first call'),
    text('To use another vendor’s model, change `model` and nothing else.'),
    heading('langchain', 'LangChain'),
    sample('langchain', 'With LangChain'),
    heading('ai-sdk', 'AI SDK'),
    sample('aiSdk', 'With the AI SDK'),
    heading('agents', 'Coding agents'),
    text('Codex speaks `/v1/responses`. Its own search of the web runs at one vendor and is billed apart, so it has to be off:'),
    sample('codex', 'With Codex'),
    text(
      'opencode asks for 32,000 tokens of a model for which it knows no limit. Give a model that writes less its `limit`, as the [catalog](/models) has it:',
    ),
    sample('opencode', 'With opencode'),
    heading('next', '3. See what it cost'),
    text(
      'Each `usage` object has `cost`, in dollars. Whole answers carry it in the header `x-tollgate-cost` too, with what is left in `x-tollgate-balance`. In the [history](/history) a request has its receipt, line by line. How requests are billed that end otherwise stands under [Billing](/docs/billing).',
    ),
  ],
}

const authentication: Page = {
  slug: 'authentication',
  title: 'Authentication',
  lead: 'Every request carries a key; a key says who pays and what may be used.',
  blocks: [
    text(
      'Send the key in the header of each request: `Authorization: Bearer sk-tg-…`. Keys are made and revoked under [Keys](/keys).',
    ),
    sample('models', 'The models that a key can use'),
    heading('groups', 'Groups'),
    text(
      'A key belongs to one model group. The group says which models it can use, and its factor multiplies their prices. A model outside of the group answers 404, as one that does not exist.',
    ),
    heading('limits', 'What a key can be limited to'),
    list(
      'Money: in all, and by the calendar month (UTC).',
      'Requests and tokens per minute.',
      'Certain models of its group.',
      'Certain addresses or ranges, such as `203.0.113.0/24`.',
      'A last day.',
    ),
    text(
      'A key that is wrong, revoked, expired or used from another address gets the same 401, before anything of the body is read. A revoked key stops within a second, everywhere.',
    ),
    text(
      'To change a secret without a gap, rotate the key: the new secret is good at once, and the old one goes on for as long as you choose, up to seven days. Both are the same key, with the same limits.',
    ),
    heading('pages', 'From web pages'),
    text(
      'Pages of any origin can call the API from a browser, with the key in the header: so tools that run in a browser work with a key that you type into them. An operator can narrow this to certain origins with `CORS_ORIGINS`.',
    ),
    heading('safe', 'Keep it safe'),
    list(
      'Never ship a key in a page, an app or a repository: whoever reads it spends your balance.',
      'Make one key for each program and place, each with a spending limit.',
      'We store no copy of a key. If you lose it, make another one.',
    ),
  ],
}

const streaming: Page = {
  slug: 'streaming',
  title: 'Streaming',
  lead: 'Words as they are made, and the cost at the end.',
  blocks: [
    text(
      'With `"stream": true` the answer is a stream of server-sent events. Each `data:` line is a JSON chunk. Chats, completions and responses end with `data: [DONE]`; pictures, speech and transcriptions end with an event whose `type` ends in `.completed` or `.done`, and have no `[DONE]`.',
    ),
    sample('stream', 'A stream with its usage'),
    heading('usage', 'Usage'),
    text(
      'With `stream_options: {"include_usage": true}` the last chunk before `[DONE]` has an empty `choices` and the `usage`, with `cost`. Without it a stream is billed all the same; the history has the receipt.',
    ),
    heading('breaks', 'When a stream breaks'),
    text(
      'Before the first chunk a failure is a plain HTTP error, and another deployment of the model is tried first. After it, a failure is an event with an `error` object, and the end does not come: a stream without its end is not complete. Speech that comes as sound alone breaks off with its connection.',
    ),
    heading('leaving', 'When you leave'),
    text(
      'Close the connection and the vendor is told to stop. You pay for the input and for what was made until then. A reader who takes nothing for a minute is taken to have left. Requests whose words do not tell what they cost run on to their end within what was held, and are billed by the vendor’s own count: with images, files or sounds, with several choices, of models that think unseen, and with an `Idempotency-Key`.',
    ),
    heading('proxies', 'Proxies in between'),
    text(
      'Answers are marked `no-transform`. A proxy of your own has to pass them on as they come: in nginx `proxy_buffering off`.',
    ),
  ],
}

const limits: Page = {
  slug: 'limits',
  title: 'Limits',
  lead: 'How much at once, how often, and how you are told.',
  blocks: [
    heading('rates', 'Requests and tokens per minute'),
    text('Keys and groups can have limits of requests and of tokens per minute. Every answer says how they stand:'),
    table(
      'Headers of limits',
      ['Header', 'Meaning'],
      ['`x-ratelimit-limit-requests`, `x-ratelimit-limit-tokens`', 'What a minute allows'],
      ['`x-ratelimit-remaining-requests`, `x-ratelimit-remaining-tokens`', 'What is left of it'],
      ['`x-ratelimit-reset-requests`, `x-ratelimit-reset-tokens`', 'When all of it is back'],
    ),
    text(
      'Above a limit the answer is 429 with the code `rate_limit_exceeded`, and `Retry-After` says how many seconds to wait. The official clients do so by themselves. Requests under way are limited too, of a key and of an account: one more is the same 429.',
    ),
    heading('money', 'Money'),
    text(
      'Before a vendor is called, the most that the request can cost is held: its input, and its output up to `max_tokens`. If the balance or a limit of the key does not cover that, the answer is 429 with `insufficient_quota` and `x-should-retry: false`. A smaller `max_tokens` holds less. Without it an answer can be as long as a quarter of your free balance pays for, or 4,096 tokens where that is less, within what the model can say; one that gets there ends with the `finish_reason` `length`. Where the money is there, but held by requests that are still running, a request waits a moment for it and is then a 429 with `rate_limit_exceeded`.',
    ),
    heading('sizes', 'Sizes'),
    list(
      'A JSON body can have 16 MiB and a form with files 200 MiB, unless this gateway’s operator says otherwise; more is a 413.',
      'A request that does not fit into the model’s context is a 400, before anything is held.',
      'Bodies are plain: a compressed one is a 415.',
      'A body has to come at 1 KiB a second or faster.',
      'A call takes ten minutes at most, unless the operator says otherwise.',
    ),
    heading('state', 'What is not taken'),
    text(
      'Fields that name something in a vendor’s account, or start what has no price here (hosted tools, service tiers, background runs), are a 400 that names the field. Fields that a vendor cannot be given and that do no harm are dropped and named in `x-tollgate-ignored`.',
    ),
  ],
}

export const start = { quickstart, authentication, streaming, limits }
