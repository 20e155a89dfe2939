import { heading, list, type Page, sample, table, text } from '../blocks.ts'

const errors: Page = {
  slug: 'errors',
  title: '错误',
  lead: '接口返回的全部错误，以及各自的处理办法。',
  blocks: [
    text(
      '所有错误的响应体格式都相同：`{"error": {"message", "type", "param", "code"}}`。`message` 说明问题和下一步；`param` 是出错字段的路径，例如 `messages[0].role`，或为 null。请用 `code` 区分错误。',
    ),
    sample('errors', '读取错误'),
    heading('retry', '何时重试'),
    list(
      '遇到 408、`idempotency_in_progress` 的 409、`rate_limit_exceeded` 的 429、500 和 503 时重试：按 `Retry-After` 等待，没有时逐次加倍等待。',
      '遇到其他 4xx 或 `insufficient_quota` 时不要重试：同样的请求会再次失败。',
      '带有 [Idempotency-Key](/docs/idempotency) 的重试绝不会重复扣费。',
    ),
    text('每个响应都有 `x-request-id`。向运营者求助时请提供它。'),
    heading('all', '全部错误'),
    { kind: 'errors' },
  ],
}

const idempotency: Page = {
  slug: 'idempotency',
  title: '幂等',
  lead: '响应丢失时重试请求，而不重复付费。',
  blocks: [
    text(
      '为请求选择一个幂等键，最长 255 个可打印的 ASCII 字符，不含空格，放在请求头 `Idempotency-Key` 中。使用此幂等键的第一个请求会执行。24 小时内，同一账户以相同的幂等键、路径和请求体再次请求，会得到第一个请求的响应（流式也一样），带有 `x-tollgate-replayed`，费用为 0。',
    ),
    sample('idempotency', '可以放心重试的请求'),
    list(
      '第一个请求尚在进行时，重发返回 409 和 `Retry-After: 1`。',
      '相同的幂等键配上不同的路径或请求体，返回 400：`idempotency_key_reused`。',
      '第一个请求被拒绝，或失败且未扣费时，结果不会保存：重发会重新执行。',
      '第一个请求已扣费，但其响应中途中断，或是超过 8 MiB 的流时，重发返回 409 `idempotency_answer_not_kept`，且不扣费。',
      '客户端断开后，请求会继续运行：其响应会扣费，并保留给重发的请求。',
      '即使响应或其历史记录已被删除，在 24 小时期满之前，重发仍会得到该响应。',
    ),
    text('响应与扣费在同一个事务中保存：要么都有，要么都没有。重放之前会再次检查密钥的权限。'),
  ],
}

const billing: Page = {
  slug: 'billing',
  title: '计费',
  lead: '冻结什么、如何扣费，以及收据说明什么。',
  blocks: [
    heading('way', '请求如何扣费'),
    list(
      '调用供应商之前，在余额中**冻结**该请求可能的最高费用。冻结的金额不能重复消费。',
      '响应完成后按用量**扣费**，其余冻结立即释放。扣费落盘之后才发出最后一个字节。',
      '余额绝不会低于零。供应商用量超出冻结金额与可用余额的部分，由网关承担。',
    ),
    heading('receipt', '收据'),
    text(
      '金额以整数纳美元计。收据的每一行是用量乘以单价，再乘以密钥分组的倍率，向上取整一次；总额是各行之和。单价是请求被接受时有效的价格。各单位互不重叠：缓存输入不会再计入输入。',
    ),
    text('用量以供应商的计数为准。供应商没有给出时由网关计数，收据会注明是估算及其原因。'),
    heading('top-up', '自动充值'),
    text(
      '保存银行卡后，[账单页面](/billing)可以自动充值：可用余额低于阈值时扣款一次，每月（UTC）不超过上限。进行中的请求冻结的金额不算可用。Stripe 确认付款后余额更新，通常只需数秒。',
    ),
    list(
      '银行拒绝的付款会在一小时后重试，再过十二小时重试一次。连续第三次失败后自动充值关闭。每次失败都会发送邮件。',
      '如果银行要求您本人确认，或银行卡已过期，则立即关闭：请手动充值，或保存另一张卡。',
      '账户被停用或有欠款时不会扣款。',
    ),
    heading('alerts', '消费提醒'),
    text(
      '整个账户或某个密钥在一日或一月（UTC）内的消费达到设定金额时，可以发送邮件，每日或每月一次。提醒不会停止任何请求，密钥的限额会。',
    ),
    heading('outcomes', '请求可能的结束方式'),
    { kind: 'outcomes' },
  ],
}

const video: Page = {
  slug: 'video',
  title: '视频',
  lead: '生成视频需要几分钟：提交任务、查询状态、取回结果。',
  needs: '/v1/videos/generations',
  blocks: [
    sample('video', '从提示词到视频地址'),
    heading('states', '状态'),
    table(
      '任务的状态',
      ['状态', '含义'],
      ['`pending`', '等待开始'],
      ['`processing`', '正在生成'],
      ['`completed`', '已完成：`video_url` 是其地址'],
      ['`failed`', '未能生成，不扣费：`error` 说明原因'],
    ),
    text('状态只会沿此表向下变化。长时间未完成的任务会被取消：状态为 `failed`，冻结的费用释放。'),
    heading('cancel', '取消任务'),
    text('`POST /v1/videos/generations/{id}/cancel` 会结束尚未完成的任务。它的状态变为 `failed`，不扣费。'),
    heading('polling', '查询的频率'),
    text('5 秒和 10 秒的视频每 5 至 10 秒查询一次，15 秒和 20 秒的视频每 15 至 30 秒查询一次。查询免费。'),
    heading('life', '保留多久'),
    text('任务及其 `video_url` 自创建起保留 24 小时。此后，以及对于其他账户，返回 404 和 `task_not_found`。请在此之前取回视频。'),
  ],
}

const files: Page = {
  slug: 'files',
  title: '文件',
  lead: '模型生成的图片、音频和视频在哪里，以及如何发送您自己的文件。',
  blocks: [
    heading('results', '结果'),
    text(
      '模型生成的文件会保留一段时间，各有一个 `/files` 下带签名的地址。在到期之前，任何持有地址的人无需密钥即可读取。没有签名或已过期的地址返回 403。',
    ),
    list('支持 `Range`：播放器可以跳转。', '文件从不改变；`etag` 是其标识。', '要保留的文件请自行复制：这里只是临时存放。'),
    heading('chat', '对话中的图片'),
    text(
      '有些对话模型会在回答中生成图片。用 `modalities: ["image", "text"]` 请求。图片以 `data:` 地址的形式位于消息的 `images` 中，流式输出时位于增量（delta）的同一字段；在 Responses 的响应中则是类型为 `image_generation_call` 的条目。`image_config`（例如 `{"aspect_ratio": "16:9", "image_size": "2K"}`）会转发给支持它的供应商。要让模型再次看到图片，请把它放在角色为 `user` 的消息中发送。',
    ),
    text(
      '图片的 token 按[模型](/models)的“图片输出 token”单价计费，通常是文字的数倍；它们计入输出，在用量中为 `image_tokens`。没有该单价的模型不能请求图片，请求返回 400。有该单价的模型可能不经请求就生成图片，因此其全部输出按该单价冻结；`max_tokens` 越小，冻结越少。供应商没有报告图片用量时，每张按 6,240 个 token 计，不超过冻结的金额，收据会注明。',
    ),
    heading('sending', '发送文件'),
    text(
      '图片以 `data:` 地址或公开 URL 的形式放在消息中，文档以 `data:` 地址的形式，音频以 base64。接受文件的接口使用 `multipart/form-data`；图片编辑也接受 JSON，其中 `images` 和 `mask` 为 `data:` 地址。文件类型由其开头的字节判定，与文件名无关；类型或大小不符的文件在传输过程中就会被拒绝。',
    ),
    heading('not', '没有文件存储'),
    text('没有用于长期存放、批处理或微调的文件上传接口：引用此类文件的字段返回 400。'),
  ],
}

export const more = { errors, idempotency, billing, video, files }
