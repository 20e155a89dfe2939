import type { Content } from '../blocks.ts'

/** 每种情形对调用者意味着什么。 */
export const errors: Content['errors'] = {
  invalid_request: {
    when: '请求体不是 JSON 对象、某个字段有误或无法传给该模型的供应商，或供应商不接受该请求。',
    todo: '修正 `param` 指出的字段。原样重发会再次失败。',
  },
  context_exceeded: {
    when: '请求的 token 数超出模型的上下文。在冻结费用之前发现，或由模型的供应商指出。不扣费。',
    todo: '缩短 `param` 指出的字段或整个请求，或选用[上下文](/models?sort=context)更大的模型。',
  },
  idempotency_mismatch: { when: '该 Idempotency-Key 在一天内已用于路径或内容不同的请求。', todo: '新的请求请用新的幂等键。' },
  unknown_previous: { when: '`previous_response_id` 指向的响应没有保存，或属于其他账户。', todo: '在 `input` 中发送整个对话。' },
  invalid_key: {
    when: '没有密钥，或密钥错误、已吊销、已过期、不允许来自此 IP 地址：返回的错误都相同。',
    todo: '发送 `Authorization: Bearer sk-tg-…`，或新建[密钥](/keys)。',
  },
  wrong_signature: { when: '文件地址没有签名或签名有误。', todo: '完整使用接口返回的地址。' },
  expired_file: { when: '文件地址已过期。', todo: '重新生成，并及时复制。' },
  unknown_path: { when: '`/v1` 或 `/files` 下没有此地址。', todo: '检查以 `/v1` 结尾的 Base URL 和路径。' },
  unknown_model: {
    when: '模型不存在、不在密钥的分组中，或不在密钥允许的模型中：返回的错误都相同。',
    todo: '从 `GET /v1/models` 中选择一个。',
  },
  unknown_response: {
    when: '该 ID 没有对应的已存储响应：从未存在、未存储、已删除或已过期，或属于其他账户。',
    todo: '检查 ID；需要存储响应时发送 `store: true`。',
  },
  unknown_file: { when: '地址有效，但文件已不在此处。', todo: '重新生成；若再次发生，请告知运营者。' },
  unknown_task: { when: '任务从未存在、开始于 24 小时之前，或属于其他账户。', todo: '重新创建任务，并保存其 ID。' },
  wrong_method: { when: '该路径不支持此方法。', todo: '使用响应头 `Allow` 中的方法。' },
  upload_too_slow: { when: '请求体的传输速度低于每秒 1 KiB。', todo: '换用更好的网络重新发送。' },
  idempotency_running: {
    when: '使用此 Idempotency-Key 的第一个请求尚在进行。',
    todo: '按 `Retry-After` 等待后原样重发：会得到第一个请求的响应。',
  },
  idempotency_spent: {
    when: '使用此 Idempotency-Key 的第一个请求已扣费，但其响应中途中断，或是超过 8 MiB、不予保存的流。',
    todo: '换用新的 Idempotency-Key 重新请求；会再次扣费。',
  },
  task_completed: { when: '要取消的任务已经完成并扣费。', todo: '取回其结果。' },
  too_large: { when: '请求体超出本网关的上限。', todo: '减少内容，或用 URL 指定大型媒体。' },
  wrong_content: { when: '请求体的类型不对，或经过压缩。', todo: '不要压缩，并使用[参考](/docs/api)中给出的 `Content-Type`。' },
  wrong_range: { when: '所请求的文件范围起点超出文件末尾。', todo: '请求文件之内的范围。' },
  no_quota: {
    when: '余额或密钥的消费限额不足以支付该请求可能的费用，或账户已停用。',
    todo: '充值、提高限额，或减小 `max_tokens`。等待无济于事。',
  },
  too_many_requests: {
    when: '密钥每分钟或同时的请求数已用完、账户的并发请求已达上限、其进行中的请求冻结了一半余额、账户进行中的请求冻结了本次可能需要的费用、某 IP 地址发送了过多错误密钥、账户正在进行的上传和大请求占满了其空间，或供应商达到上限。',
    todo: '按 `Retry-After` 等待。',
  },
  too_many_tokens: { when: '密钥每分钟的 token 数已用完。', todo: '按 `Retry-After` 等待，或减少内容。' },
  internal: { when: '网关或其目录出错。不扣费。', todo: '重试；若持续出现，请将请求 ID 告知运营者。' },
  vendor_failed: {
    when: '供应商中断，或返回无法读取的响应。在流中，错误以事件发送。',
    todo: '逐次延长等待后重试。生成图片时可更换提示词。',
  },
  maintenance: { when: 'API 因维护而关闭。', todo: '按 `Retry-After` 等待后重试。' },
  overloaded: { when: '网关负载过高。', todo: '按 `Retry-After` 等待后重试。' },
  unavailable: { when: '该模型目前没有可用的部署，或网关正在重启。在流中，错误以事件发送。', todo: '稍后重试，或换用其他模型。' },
}

/** lib/ledger/README.md 中的表格。 */
export const outcomes: Content['outcomes'] = [
  ['完整响应，或直到 `[DONE]` 的流，已送达', '按供应商的计数；没有计数时按估算，并注明', '`finished`'],
  ['调用供应商之前被拒绝', '不扣费', '`refused`'],
  ['一些部署在输出前失败，由另一个回答', '只按该回答扣费一次；其他部署的费用由网关承担', '`finished`'],
  ['尝试过的所有供应商都在输出前失败', '不扣费', '`vendor_failed`'],
  ['供应商在流的中途失败', '已送达的部分：按报告的用量，但输出不少于计数所得；没有报告时按输入和计数的输出', '`cut`'],
  [
    '客户端从所有 token 都可见的文本流断开，或一分钟内什么都没有读取',
    '输入和计数的输出，并注明为估算。供应商会被告知停止。没有供应商收到请求，或最后一家已拒绝或失败时，不扣费',
    '`client_gone`',
  ],
  [
    '调用供应商之后，语音中断或其客户端断开',
    '供应商预先计费的部分：全部字符，精确；按 token 计费的则为全部语音的估算，并注明。第一个字节之前不扣费，除非客户端断开',
    '`cut`, `client_gone`',
  ],
  [
    '客户端从其他请求断开（非流式响应、图片流、转写、隐藏思考、多个候选回答、带图片、文件或音频的请求、与可能生成图片的模型的对话、幂等请求）',
    '在冻结的金额和时限内继续运行；按供应商的计数。供应商在输出前失败时，不扣费',
    '`client_gone`',
  ],
  [
    '供应商在流的中途失败，或在客户端断开后失败，而图片尚未完成',
    '不扣费：预览不计费。已完成的图片照常扣费',
    '`vendor_failed`, `client_gone`; `cut`',
  ],
  ['供应商生成的图片少于所要求的', '只按已生成的图片扣费；一张也没有则为 `vendor_failed`', '`finished`'],
  ['网关无法保存所生成的内容', '不扣费，也不再尝试其他供应商', '`vendor_failed`'],
  [
    '网关停止，且在响应完整之前 DRAIN_MS 已过',
    '与供应商在流的中途失败相同；在输出之前，以及非流式响应，不扣费',
    '`cut`, `refused`',
  ],
  ['供应商用时超过 REQUEST_TIMEOUT_MS', '与供应商失败相同，分输出之前和之后', '`vendor_failed`, `cut`'],
  ['视频完成', '按秒数扣费一次，与标记 `completed` 在同一事务中', '`finished`'],
  ['视频在供应商处失败；没有供应商开始生成，或所调用供应商的响应丢失', '不扣费', '`vendor_failed`'],
  ['视频用时超过 VIDEO_TIMEOUT_MS，或在 VIDEO_SILENCE_MS 内无法连接其供应商', '不扣费；供应商会被告知停止', '`timed_out`'],
  ['视频被取消', '不扣费，即使供应商此后完成；若供应商那时已经开始，会被告知停止', '`cancelled`'],
  [
    '提交视频者因无法得知是否已登记而得到 503，而它其实已登记',
    '不扣费：任务会被结束，若那时已完成则退还扣费；在此之前它记录在 DATA_DIR/undelivered，由下一次启动处理。带有 Idempotency-Key 时则继续运行，等待重发',
    '`undelivered`',
  ],
  [
    '非流式响应的最后一个字节时数据库不可用',
    'SETTLE_TIMEOUT_MS 之后返回 503，不扣费：记入一条作废，若扣费仍已写入则退还；写入之前它保存在 DATA_DIR/undelivered，由下一次启动写入。若在此之前有相同 Idempotency-Key 的重发得到了响应，则扣费',
    '`undelivered`',
  ],
  ['流的最后一个字节时数据库不可用', '流会等待；扣费会一直重试直到落盘', '`finished`'],
  ['网关进程崩溃', '未结算的不扣费；该进程预留的金额在一个周期后退回', '无记录'],
  ['其进程被判定为已死，而另一个请求使用了它的 Idempotency-Key', '不扣费：由另一个请求付费', '`undelivered`'],
  [
    '供应商用量超出冻结',
    '取实际费用与“冻结金额加未被任何进程预留的余额”中较小者；其余记为 `shortfall`，由网关承担。密钥限额只约束冻结的金额，不约束此部分：限额因此被超出，之后的请求会被拒绝',
    '同上',
  ],
]
