import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const quickstart: Page = {
  slug: 'quickstart',
  title: 'Quickstart',
  lead: 'Create an account and a key, then send your first request with the client you already use.',
  blocks: [
    heading('key', '1. Get a key'),
    text(
      '[Create an account](/sign-up), add credit, and create a key under [Keys](/keys). The key is shown once. Keep it in an environment variable, not in your code:',
    ),
    text('`export TOLLGATE_KEY=sk-tg-…`'),
    heading('call', '2. Send a request'),
    text(
      'The API uses the OpenAI format, so any OpenAI client works. Give it this gateway’s base URL and your key, and name a model from the [catalog](/models).',
    ),
    sample('first', 'A first request'),
    text('To use another vendor’s model, change only `model`.'),
    heading('langchain', 'LangChain'),
    sample('langchain', 'With LangChain'),
    heading('ai-sdk', 'AI SDK'),
    sample('aiSdk', 'With the AI SDK'),
    heading('agents', 'Coding agents'),
    text(
      'Codex uses `/v1/responses`. Its built-in web search works with [models](/models) that have a price for web searches, except Gemini, which does not search beside tools. With all others it has to be turned off:',
    ),
    sample('codex', 'With Codex'),
    text(
      'opencode requests 32,000 tokens from any model whose limit it does not know. For a model with a lower output limit, set `limit` to the values in the [catalog](/models):',
    ),
    sample('opencode', 'With opencode'),
    heading('next', '3. See what it cost'),
    text(
      'Every `usage` object includes `cost`, in dollars. Responses that are not streamed also return the cost in the `x-tollgate-cost` header and the remaining balance in `x-tollgate-balance`. The [history](/history) shows the receipt of each request, line by line. To learn what is charged when a request fails or breaks off, see [Billing](/docs/billing).',
    ),
  ],
}

const authentication: Page = {
  slug: 'authentication',
  title: 'Authentication',
  lead: 'Every request carries a key. The key determines who pays and what the request may use.',
  blocks: [
    text(
      'Send the key in a header of each request: `Authorization: Bearer sk-tg-…`. Create and revoke keys under [Keys](/keys).',
    ),
    sample('models', 'The models that a key can use'),
    heading('groups', 'Groups'),
    text(
      'A key belongs to one model group. The group determines which models the key can use, and its factor multiplies their prices. A model outside the group returns 404, like a model that does not exist.',
    ),
    text(
      'What stands before the first slash of a model’s name can be left out if only one model of the key has the rest: `gpt-5` means `openai/gpt-5`. Clients that treat a model in a special way know it by its own name.',
    ),
    heading('limits', 'Key limits'),
    list(
      'Spending: in total, and per calendar month (UTC).',
      'Requests and tokens per minute.',
      'Models: only some of the group’s models.',
      'IP addresses: single addresses or ranges, such as `203.0.113.0/24`.',
      'Expiry: the last day on which the key works.',
    ),
    text(
      'A key that is wrong, revoked, expired or used from an address that is not allowed gets the same 401, before any of the body is read. A revoked key stops working everywhere within a second.',
    ),
    text(
      'To replace a secret without downtime, rotate the key. The new secret works at once, and the old one keeps working for as long as you choose, up to seven days. Both belong to the same key and share its limits.',
    ),
    heading('pages', 'Requests from a browser'),
    text(
      'Web pages from any origin can call the API with the key in the header, so browser-based tools work with a key that you enter in them. An operator can restrict this to certain origins with `CORS_ORIGINS`.',
    ),
    heading('safe', 'Keep keys safe'),
    list(
      'Never put a key in a web page, an app or a repository. Anyone who reads it can spend your balance.',
      'Create a separate key for each program and environment, each with a spending limit.',
      'We do not keep a copy of your key. If you lose it, create another one.',
    ),
  ],
}

const streaming: Page = {
  slug: 'streaming',
  title: 'Streaming',
  lead: 'Receive output as it is generated, with the cost at the end.',
  blocks: [
    text(
      'With `"stream": true` the response is a stream of server-sent events. Each `data:` line is a JSON chunk. Chats, completions and responses end with `data: [DONE]`. Images, speech and transcriptions end with an event whose `type` ends in `.completed` or `.done`, and send no `[DONE]`.',
    ),
    sample('stream', 'A stream with usage'),
    heading('usage', 'Usage'),
    text(
      'With `stream_options: {"include_usage": true}` the last chunk before `[DONE]` has an empty `choices` array and the `usage` object, with `cost`. A stream without this option is billed in the same way, and its receipt is in the history.',
    ),
    heading('breaks', 'When a stream fails'),
    text(
      'Before the first chunk, another deployment of the model is tried, and a failure is an ordinary HTTP error. After the first chunk, a failure is an event with an `error` object, and the final event is not sent. A stream without its final event is incomplete. Speech that is streamed as audio alone has no events: if it fails, the connection is closed.',
    ),
    heading('leaving', 'When you disconnect'),
    text(
      'When you close the connection, the vendor is told to stop. You pay for the input and for the output generated until then. A client that reads nothing for a minute is treated as disconnected. Some requests run to completion within their hold and are billed by the vendor’s own count, because the text received so far does not show what they cost: requests with images, files or audio, requests for several choices, and requests to models with hidden reasoning or that make images. Requests with an `Idempotency-Key` also run to completion.',
    ),
    heading('proxies', 'Reverse proxies'),
    text(
      'Responses are marked `no-transform`. Your own reverse proxy has to pass them on without buffering. In nginx, set `proxy_buffering off`.',
    ),
  ],
}

const limits: Page = {
  slug: 'limits',
  title: 'Limits',
  lead: 'How many requests you can send, how large they can be, and how limits are reported.',
  blocks: [
    heading('rates', 'Requests and tokens per minute'),
    text(
      'Keys and groups can limit the number of requests and tokens per minute. Every response reports the current state in its headers:',
    ),
    table(
      'Rate limit headers',
      ['Header', 'Meaning'],
      ['`x-ratelimit-limit-requests`, `x-ratelimit-limit-tokens`', 'Limit per minute'],
      ['`x-ratelimit-remaining-requests`, `x-ratelimit-remaining-tokens`', 'What remains of the limit'],
      ['`x-ratelimit-reset-requests`, `x-ratelimit-reset-tokens`', 'Time until the full limit is available again'],
    ),
    text(
      'A request above a limit gets a 429 with the code `rate_limit_exceeded`. `Retry-After` says how many seconds to wait. The official clients wait and retry automatically. The number of requests in progress is also limited, per key and per account. A request above that limit gets the same 429.',
    ),
    text(
      'The tokens of a request count when it arrives, those of its answer when it ends. Requests that run at the same time can together use more than a limit of tokens; those that follow get a 429 until there is room again. The limits of requests, and of money, are never exceeded in this way.',
    ),
    heading('money', 'Money'),
    text(
      'Before a vendor is called, the most that the request can cost is held: its input, and its output up to `max_tokens`. If the balance or a limit of the key does not cover this amount, the request gets a 429 with `insufficient_quota` and `x-should-retry: false`. A smaller `max_tokens` holds less. If you leave it out, the output can be as long as a quarter of your available balance pays for, or 4,096 tokens if that is more, but never longer than the model allows. Output that reaches this length ends with the `finish_reason` `length`. If the balance is sufficient but held by other running requests, the request waits briefly and then gets a 429 with `rate_limit_exceeded`.',
    ),
    heading('sizes', 'Sizes'),
    list(
      'A JSON body can be up to 16 MiB and a form with files up to 200 MiB, unless the operator has set other limits. A larger one gets a 413.',
      'A request that does not fit into the model’s context gets a 400, before anything is held.',
      'Bodies must not be compressed. A compressed body gets a 415.',
      'A body has to arrive at 1 KiB per second or faster.',
      'A request can take up to ten minutes, unless the operator has set another limit.',
    ),
    heading('state', 'Unsupported fields'),
    text(
      'A field that refers to something in a vendor’s account, or that starts something with no price here (hosted tools other than `web_search`, service tiers, background runs), gets a 400 that names the field. Fields that a vendor does not support and that are safe to drop are dropped and listed in `x-tollgate-ignored`.',
    ),
    text(
      'The tools `shell`, `local_shell`, `apply_patch` and `tool_search` (with `execution: client`) of `/v1/responses` run on your own machine. They work with models whose vendor offers responses, such as OpenAI’s. Any other model gets a 400: describe them to it as functions.',
    ),
    text(
      'The tool `web_search` of `/v1/responses` is run by the vendor. It needs a model with a price for web searches, whose vendor offers responses or is Anthropic or Google. In chats, `web_search_options` does the same with models of Anthropic and Google; `max_uses` in it is the number of searches. OpenAI’s models that search for each request, such as `gpt-5-search-api`, take it too: their price of a request includes the search. Each search is billed at that price. Pages that the model opens are not, but all that it reads is input. While the request runs, `max_tool_calls` searches (10 if you leave it out) are held, each with 32,768 tokens of input. A lower `max_tool_calls` holds less.',
    ),
  ],
}

export const start = { quickstart, authentication, streaming, limits }
