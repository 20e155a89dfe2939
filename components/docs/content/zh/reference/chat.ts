import type { Content } from '../../blocks.ts'

/** 对话。 */
export const chat: Content['reference'] = {
  'Create a chat completion': '创建对话补全',
  'Answers a conversation. Tools, structured output, images and every other parameter of the model are passed on.':
    '根据对话生成回答。工具、结构化输出、图片以及模型的其他参数都会转发给供应商。',
  'The conversation so far, oldest message first.': '对话至今的全部消息，从旧到新。',
  'How many choices to generate for the same messages. You pay for each.': '为同一组消息生成多少个候选回答。每个都计费。',
  'The older name of `max_completion_tokens`.': '`max_completion_tokens` 的旧名。',
  'The maximum number of tokens in the output, including reasoning. A lower value holds less money while the request runs. The default is what a quarter of the available balance pays for, or 4,096 if that is more.':
    '输出的 token 数上限，含思考。值越小，请求运行期间冻结的金额越少。默认为可用余额的四分之一所能支付的数量，不足 4,096 时为 4,096。',
  'Whether to return the log probability of each output token.': '是否返回每个输出 token 的对数概率。',
  'Tools that the model may ask you to call.': '模型可以要求您调用的工具。',
  'Text, any JSON, or JSON that follows a schema.': '文本、任意 JSON，或符合指定 schema 的 JSON。',
  'How much a reasoning model thinks before it answers, such as `low` or `high`. The vendor defines the accepted values.':
    '思考模型回答前的思考程度，例如 `low` 或 `high`。可用的值由供应商规定。',
  'How detailed the answer is, such as `low` or `high`, if the model supports it.':
    '回答的详细程度，例如 `low` 或 `high`，需模型支持。',
  'The types of output. `image` needs a model that makes images and has a price for them (`image_output`). They are in `images` of the message. `image_config` is passed on to vendors that know it.':
    '输出的类型。`image` 要求模型能生成图片，且有图片输出的价格（`image_output`）。图片位于消息的 `images` 中。`image_config` 会转发给支持它的供应商。',
  'The older form of `tools`.': '`tools` 的旧形式。',
  'Text that most of the output will repeat, such as a file in which you want a change. What matches is generated faster, if the model supports it. Predicted tokens that are not used are billed as output.':
    '预计构成输出大部分的文本，例如要修改的文件。若模型支持，与之相符的部分生成得更快。未被采用的预测 token 按输出计费。',
  'Passed on to vendors that support it. It does not store anything here.': '转发给支持它的供应商，不会在本网关存储任何内容。',
  'Your own notes on the request, passed on to vendors that support them.': '您为请求添加的备注，转发给支持它的供应商。',
  'Lets the model search the web, if it can and has a price for searches (`web_search`): Claude and Gemini by their own APIs. You pay for each search. `filters.allowed_domains` limits where, and `max_uses` how often, by default 10 times; fewer searches hold less money while the request runs. Models that search for each request, such as `gpt-5-search-api`, take it if each request has a price. Other models search with the tool `web_search` of responses.':
    '允许模型联网搜索，前提是模型能够搜索且有搜索的价格（`web_search`）：Claude 和 Gemini 通过各自的 API 搜索。每次搜索都计费。`filters.allowed_domains` 限定搜索的网站，`max_uses` 限定次数，默认为 10 次；次数越少，请求运行期间冻结的金额越少。每次请求都会搜索的模型（如 `gpt-5-search-api`）有按次价格时也接受此字段。其他模型通过 Responses 的工具 `web_search` 搜索。',
  'Images that the model made, as data: URLs.': '模型生成的图片，为 data: 地址。',
  'The web pages that the text cites.': '文本引用的网页。',
}
