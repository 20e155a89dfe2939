import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const quickstart: Page = {
  slug: 'quickstart',
  title: '快速开始',
  lead: '创建账户和密钥，用您已经在用的客户端发出第一个请求。',
  blocks: [
    heading('key', '1. 获取密钥'),
    text('[创建账户](/sign-up)，充值，然后在[密钥](/keys)页面创建密钥。密钥只显示一次。请放在环境变量里，不要写进代码：'),
    text('`export TOLLGATE_KEY=sk-tg-…`'),
    heading('call', '2. 发出请求'),
    text(
      '接口采用 OpenAI 的格式，任何 OpenAI 客户端都可使用：填入本网关的 Base URL 和您的密钥，并从[模型目录](/models)选一个模型。',
    ),
    sample('first', '第一个请求'),
    text('换用其他供应商的模型时，只需更改 `model`。'),
    heading('langchain', 'LangChain'),
    sample('langchain', '使用 LangChain'),
    heading('ai-sdk', 'AI SDK'),
    sample('aiSdk', '使用 AI SDK'),
    heading('agents', '编程助手'),
    text(
      'Codex 使用 `/v1/responses`。它自带的联网搜索只适用于有联网搜索价格的[模型](/models)，但不包括 Gemini（它不能与工具同时搜索）；使用其他模型时必须关闭：',
    ),
    sample('codex', '使用 Codex'),
    text('模型的上限未知时，opencode 会请求 32,000 个 token。输出上限较低的模型，请按[模型目录](/models)中的数值设置 `limit`：'),
    sample('opencode', '使用 opencode'),
    heading('next', '3. 查看费用'),
    text(
      '每个 `usage` 对象都有以美元计的 `cost`。非流式响应的响应头 `x-tollgate-cost` 也会给出费用，`x-tollgate-balance` 给出余额。在[历史记录](/history)中，每个请求都有逐行的收据。请求失败或中断时如何扣费，见[计费](/docs/billing)。',
    ),
  ],
}

const authentication: Page = {
  slug: 'authentication',
  title: '身份验证',
  lead: '每个请求都携带密钥。密钥决定由谁付费、能用什么。',
  blocks: [
    text('在每个请求的请求头中发送密钥：`Authorization: Bearer sk-tg-…`。密钥在[密钥](/keys)页面创建和吊销。'),
    sample('models', '密钥可用的模型'),
    heading('groups', '分组'),
    text('每个密钥属于一个模型分组。分组决定可用的模型，其倍率乘以模型的价格。分组之外的模型与不存在的模型一样，返回 404。'),
    text(
      '如果密钥可用的模型中，第一个斜杠之后的部分没有重名，斜杠之前的部分可以省略：`gpt-5` 即 `openai/gpt-5`。有些客户端会对特定模型做特殊处理，它们认的是模型自己的名称。',
    ),
    heading('limits', '密钥的限制'),
    list(
      '消费：总额，以及按自然月（UTC）。',
      '每分钟的请求数和 token 数。',
      '模型：仅限分组中的某些模型。',
      'IP 地址：单个地址或网段，例如 `203.0.113.0/24`。',
      '有效期：密钥可用的最后一天。',
    ),
    text('密钥错误、已吊销、已过期或来自不允许的地址时，返回同样的 401，且不会读取请求体。吊销的密钥在一秒内全面失效。'),
    text(
      '要不停机地更换密钥值，请轮换密钥：新密钥值立即可用，旧密钥值在您选择的时间内继续有效，最长七天。两者是同一个密钥，限额相同。',
    ),
    heading('pages', '从浏览器调用'),
    text(
      '任何来源的网页都可以在请求头中带上密钥调用 API，因此在浏览器中运行的工具可以使用您填入的密钥。运营者可以用 `CORS_ORIGINS` 限定来源。',
    ),
    heading('safe', '妥善保管'),
    list(
      '不要把密钥放进网页、应用或代码仓库：任何读到它的人都能花掉您的余额。',
      '为每个程序和环境各建一个密钥，并设置消费限额。',
      '我们不保存密钥的副本。丢失后请另建一个。',
    ),
  ],
}

const streaming: Page = {
  slug: 'streaming',
  title: '流式输出',
  lead: '边生成边接收，并在末尾给出费用。',
  blocks: [
    text(
      '设置 `"stream": true` 后，响应是一个服务器发送事件（SSE）流。每个 `data:` 行是一个 JSON 片段。对话、补全和 Responses 以 `data: [DONE]` 结束；图片、语音和转写以 `type` 结尾为 `.completed` 或 `.done` 的事件结束，没有 `[DONE]`。',
    ),
    sample('stream', '带用量的流'),
    heading('usage', '用量'),
    text(
      '设置 `stream_options: {"include_usage": true}` 后，`[DONE]` 之前的最后一个片段的 `choices` 为空，并带有含 `cost` 的 `usage`。不设置时同样扣费，收据见历史记录。',
    ),
    heading('breaks', '流中断时'),
    text(
      '在第一个片段之前失败，返回普通的 HTTP 错误，并会先尝试该模型的其他部署。此后失败，则发送一个含 `error` 对象的事件，且不会再有结束标志：没有结束标志的流是不完整的。仅以音频流返回的语音没有事件：失败时直接断开连接。',
    ),
    heading('leaving', '断开连接时'),
    text(
      '关闭连接后，供应商会被告知停止。您需支付输入以及到那时为止生成的内容。一分钟内什么都不读取的客户端视为已断开。仅凭文字无法得知费用的请求，会在冻结的金额内运行到结束，并按供应商自己的计数扣费：带图片、文件或音频的请求，要求多个候选回答的请求，以及使用隐藏思考的模型或会生成图片的模型的请求。带 `Idempotency-Key` 的请求同样会运行到结束。',
    ),
    heading('proxies', '反向代理'),
    text('响应标有 `no-transform`。您自己的反向代理必须不加缓冲地转发，例如在 nginx 中设置 `proxy_buffering off`。'),
  ],
}

const limits: Page = {
  slug: 'limits',
  title: '限制',
  lead: '可以发送多少请求、请求可以多大，以及如何得知限制。',
  blocks: [
    heading('rates', '每分钟的请求数和 token 数'),
    text('密钥和分组可以限制每分钟的请求数和 token 数。每个响应都会在响应头中说明当前状态：'),
    table(
      '限制相关的响应头',
      ['响应头', '含义'],
      ['`x-ratelimit-limit-requests`, `x-ratelimit-limit-tokens`', '每分钟的上限'],
      ['`x-ratelimit-remaining-requests`, `x-ratelimit-remaining-tokens`', '剩余数量'],
      ['`x-ratelimit-reset-requests`, `x-ratelimit-reset-tokens`', '多久后完全恢复'],
    ),
    text(
      '超出限制时返回 429，代码为 `rate_limit_exceeded`，`Retry-After` 给出应等待的秒数。官方客户端会自动等待并重试。密钥和账户同时进行的请求数也有限制，超出时同样返回 429。',
    ),
    text(
      '请求的 token 在到达时计入，回答的 token 在结束时计入。同时进行的请求合计可能超过 token 上限，其后的请求将返回 429，直到重新有余量。请求数和金额的限制不会因此被超出。',
    ),
    heading('money', '金额'),
    text(
      '调用供应商之前，会冻结该请求可能的最高费用：输入，以及不超过 `max_tokens` 的输出。若余额或密钥限额不足，返回 429，代码为 `insufficient_quota`，并带有 `x-should-retry: false`。`max_tokens` 越小，冻结越少。不设置时，回答最长为可用余额的四分之一所能支付的长度，不足 4,096 个 token 时按 4,096 个计，且不超过模型上限；到达此长度的回答以 `finish_reason` 为 `length` 结束。若金额足够但被其他进行中的请求冻结，请求会稍作等待，之后返回 429，代码为 `rate_limit_exceeded`。',
    ),
    heading('sizes', '大小'),
    list(
      'JSON 请求体最大 16 MiB，带文件的表单最大 200 MiB，除非运营者另有设置；超出返回 413。',
      '超出模型上下文的请求返回 400，且不冻结任何费用。',
      '请求体不可压缩，否则返回 415。',
      '请求体的传输速度不得低于每秒 1 KiB。',
      '一次调用最长十分钟，除非运营者另有设置。',
    ),
    heading('state', '不接受的字段'),
    text(
      '引用供应商账户内对象的字段，或会启动此处没有定价的服务的字段（`web_search` 以外的托管工具、服务等级、后台运行），返回指明该字段的 400。供应商无法接受且无害的字段会被略去，并列在 `x-tollgate-ignored` 中。',
    ),
    text(
      '`/v1/responses` 的工具 `shell`、`local_shell`、`apply_patch` 和 `tool_search`（带 `execution: client`）在您自己的机器上运行，仅适用于供应商提供 Responses 接口的模型（如 OpenAI 的模型）。其他模型返回 400，请改用函数来描述这些工具。',
    ),
    text(
      '`/v1/responses` 的工具 `web_search` 由供应商运行。模型须有联网搜索的价格，且其供应商提供 Responses 接口，或为 Anthropic、Google。在对话接口中，Anthropic 和 Google 的模型可用 `web_search_options` 实现同样的功能，其中 `max_uses` 为搜索次数。OpenAI 每次请求都会搜索的模型（如 `gpt-5-search-api`）也接受该字段，搜索费用已包含在其按次价格中。每次搜索按该价格计费；打开网页不另扣费，但模型读到的全部内容都算作输入。请求运行期间会冻结 `max_tool_calls` 次搜索（不填则为 10 次）的费用，每次另加 32,768 个 token 的输入。`max_tool_calls` 越小，冻结越少。',
    ),
  ],
}

export const start = { quickstart, authentication, streaming, limits }
