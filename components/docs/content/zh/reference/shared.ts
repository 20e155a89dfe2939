import type { Content } from '../../blocks.ts'

/** 多个接口共用的字段。 */
export const shared: Content['reference'] = {
  'A repeat with the same idempotency key within 24 hours gets the first response again, at no charge. Printable characters, without spaces.':
    '24 小时内以相同的幂等键重发，会得到第一个请求的响应，不扣费。幂等键由可打印字符组成，不含空格。',
  'The id of a model, as listed by `GET /v1/models`. What stands before its first slash can be left out if one model has the rest.':
    '模型的 ID，见 `GET /v1/models`。如果第一个斜杠之后的部分没有重名，斜杠之前的部分可以省略。',
  'How much the output varies. At 0, the most likely token is nearly always chosen; higher values vary more. The default is 1, unless the vendor of the model has another.':
    '输出的随机程度。为 0 时几乎总是选择概率最高的 token，值越大变化越多。默认为 1，除非模型的供应商另有默认值。',
  'Tokens are chosen only from the most likely ones that together have this probability. Set this or `temperature`, preferably not both.':
    '只从概率最高、累计概率达到此值的 token 中选取。与 `temperature` 最好只设置其一。',
  'Above 0, tokens that have already appeared become less likely; below 0, more likely.':
    '大于 0 时，已经出现过的 token 更不容易再次出现；小于 0 时更容易。',
  'Above 0, a token becomes less likely each time it appears; below 0, more likely.':
    '大于 0 时，token 每出现一次就更不容易再次出现；小于 0 时更容易。',
  'Whether to stream the response as server-sent events.': '是否以服务器发送事件（SSE）流式返回响应。',
  'Options for the stream.': '流式返回的选项。',
  'Whether a last event reports the usage and its cost.': '是否用最后一个事件报告用量及其费用。',
  'Whether the vendor pads its events, so that their sizes reveal nothing.': '供应商是否在事件中加入填充，以免从大小推断出内容。',
  'Sequences at which the output stops. The sequence itself is not included.': '输出到这些序列之一时停止，且不包含该序列。',
  'Maps token ids to a bias that makes each token more or less likely. At -100, a token never appears.':
    '从 token ID 到偏置值的映射，使相应的 token 更容易或更不容易出现。为 -100 时绝不出现。',
  'The same seed with the same request gives the same output, as far as the vendor supports it.':
    '在供应商支持的范围内，相同的种子和请求得到相同的输出。',
  'With log probabilities: how many of the most likely tokens are returned at each position.':
    '返回对数概率时，每个位置返回多少个概率最高的 token。',
  'Your own identifier of the end user. It is passed on to the vendor.': '您为最终用户设定的标识，会转发给供应商。',
  'A stable identifier of your user, which helps the vendor detect abuse. Use a hash rather than an email address.':
    '用户的固定标识，有助于供应商发现滥用。请用哈希值，不要用邮箱地址。',
  'Requests that begin alike and have the same key are more likely to be served from the vendor’s cache.':
    '开头相同且此值相同的请求，更有可能命中供应商的缓存。',
  'Whether the model may, must or must not call a tool, or which tool it must call.':
    '模型可以、必须还是不得调用工具，或必须调用哪个工具。',
  'Whether the model may ask for several calls at once.': '模型能否一次要求多个工具调用。',
  'There is only one tier.': '只有一个服务等级。',
  'The usage, and its cost in units of the currency.': '用量及其费用，费用以网关的货币为单位。',
  'What else to include in the response.': '响应中另外包含的内容。',
}
