import type { Content } from '../../blocks.ts'

/** 文本补全、向量和模型列表。 */
export const text: Content['reference'] = {
  'Create a completion': '创建文本补全',
  'Continues one or more texts. Models that only chat are asked to continue the text and say nothing else.':
    '续写一段或多段文本。对于只能对话的模型，会要求它只续写文本，不说别的。',
  'What to continue: a text, several texts, or their token ids.': '要续写的内容：一段文本、多段文本，或其 token ID。',
  'Text that comes after the completion, so that the completion fits in between.': '补全之后的文本，补全会衔接前后文。',
  'The maximum number of tokens in each completion. The default is 16. A lower value holds less money while the request runs.':
    '每个补全的 token 数上限，默认为 16。值越小，请求运行期间冻结的金额越少。',
  'How many completions to generate for each prompt. You pay for each.': '为每个提示词生成多少个补全。每个都计费。',
  'How many completions the vendor generates to choose the best `n` from. You pay for each.':
    '供应商生成多少个补全，再从中选出最好的 `n` 个。每个都计费。',
  'Whether each completion begins with its prompt.': '每个补全是否以其提示词开头。',
  'How many of the most likely tokens are returned at each position.': '每个位置返回多少个概率最高的 token。',
  'Create embeddings': '生成向量',
  'Returns one vector for each text, in the requested format, whatever format the vendor uses.':
    '为每段文本返回一个向量，采用所请求的格式，与供应商使用的格式无关。',
  'What to embed: a text, several texts, or their token ids.': '要转换为向量的内容：一段文本、多段文本，或其 token ID。',
  'Numbers in JSON, or the bytes of 32-bit floats in base64, which is shorter.':
    'JSON 中的数字，或 base64 编码的 32 位浮点数字节，后者更短。',
  'The number of dimensions of each vector, if the model can shorten it.': '每个向量的维数，需模型能缩短向量。',
  'Embeddings cannot be streamed.': '向量不支持流式返回。',
  'A list of numbers, or with `"encoding_format": "base64"` little-endian float32 values in base64.':
    '数字的列表；设置 `"encoding_format": "base64"` 时，为 base64 编码的小端 float32 值。',
  'List the models that the key can use': '列出密钥可用的模型',
  'The value for the `model` parameter.': '`model` 参数的值。',
  'Retrieve a model': '获取模型',
}
