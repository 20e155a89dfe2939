import type { Content } from '../../blocks.ts'

/** Responses。 */
export const responses: Content['reference'] = {
  'Create a response': '创建响应',
  'Follows the Open Responses specification. The output is a list of items: messages, tool calls, reasoning and images. `previous_response_id` continues a stored response.':
    '遵循 Open Responses 规范。输出是条目的列表：消息、工具调用、思考和图片。`previous_response_id` 用于接续已存储的响应。',
  'The id of a stored response of this account to continue. Its whole conversation is input again, and is charged.':
    '要接续的已存储响应的 ID，须属于此账户。其整个对话会再次作为输入并计费。',
  'A text, or items (messages, tool calls with their outputs, more tools, reasoning, and images that a model made), oldest first. Optional if the request continues a response.':
    '文本，或从旧到新的条目（消息、工具调用及其输出、更多工具、思考，以及模型生成的图片）。接续响应时可以不填。',
  'Instructions that come before everything else. They are not carried over by `previous_response_id`.':
    '位于所有其他内容之前的指令。使用 `previous_response_id` 时不会沿用。',
  'Whether to store the response, so that it can be retrieved and continued. The default is true, unless the account or key keeps no history.':
    '是否存储响应，以便之后获取和接续。默认为 true，除非账户或密钥不保留历史记录。',
  'The maximum number of tokens in the response, including reasoning. A lower value holds less money while the request runs. The default is what a quarter of the available balance pays for, or 4,096 if that is more.':
    '响应的 token 数上限，含思考。值越小，请求运行期间冻结的金额越少。默认为可用余额的四分之一所能支付的数量，不足 4,096 时为 4,096。',
  'The maximum number of searches with `web_search`, by default 10. A lower value holds less money while the request runs.':
    '用 `web_search` 搜索的次数上限，默认为 10。值越小，请求运行期间冻结的金额越少。',
  'Tools that the model may ask you to call. `shell` (on your own machine), `local_shell`, `apply_patch` and `tool_search` (with `execution: client`) need a model whose vendor offers responses. With `web_search`, the vendor searches the web by itself. The model needs a price for it and a vendor that offers responses, or it is one of Anthropic’s or Google’s.':
    '模型可以要求您调用的工具。`shell`（在您自己的机器上）、`local_shell`、`apply_patch` 和 `tool_search`（带 `execution: client`）要求模型的供应商提供 Responses 接口。使用 `web_search` 时，由供应商自行联网搜索；模型须有其价格，且供应商提供 Responses 接口，或为 Anthropic 或 Google 的模型。',
  'Whether the text is plain or JSON, with which schema, and how detailed it is.':
    '文本是纯文本还是 JSON、采用哪个 schema，以及详细程度。',
  'How much a reasoning model thinks, and how its reasoning is summarized.': '思考模型的思考程度，以及如何总结其思考。',
  'Your own notes on the response, which are returned in it.': '您为响应添加的备注，会随响应返回。',
  'How long the vendor’s cache keeps the beginning of the request, such as 24h, if the vendor has a choice.':
    '供应商的缓存将请求的开头保留多久，例如 24h，需供应商支持此选项。',
  'An input that is too long is refused, never truncated.': '过长的输入会被拒绝，绝不截断。',
  'Responses do not run in the background.': '响应不能在后台运行。',
  'Send it back unchanged: the model may need it to continue.': '请原样发回：模型可能需要它才能继续。',
  'An image that the model made, in base64.': '模型生成的图片，base64 编码。',
  'Of an image, such as `png`.': '图片的格式，例如 `png`。',
  'Whether the response can be retrieved and continued.': '此响应能否获取和接续。',
  'Such as response.created, response.output_text.delta, response.completed or error.':
    '例如 response.created、response.output_text.delta、response.completed 或 error。',
  'Retrieve a stored response': '获取已存储的响应',
  'Returns a response that has ended. A response that is in progress or has failed is not stored.':
    '返回已结束的响应。进行中或失败的响应不会存储。',
  'Delete a stored response': '删除已存储的响应',
  'List the input items of a stored response': '列出已存储响应的输入条目',
  'The maximum number of items.': '返回条目数的上限。',
  '`desc` lists the newest item first, `asc` the oldest.': '`desc` 从新到旧列出，`asc` 从旧到新。',
  'The id of an item. Only items after it are listed.': '条目的 ID。只列出此条目之后的条目。',
  'JSON as text; for a `tool_search_call` JSON itself.': 'JSON 文本；`tool_search_call` 则为 JSON 本身。',
}
