import { alibaba } from './chats/alibaba.ts'
import { amazonBedrock } from './chats/amazon-bedrock.ts'
import { anthropic } from './chats/anthropic.ts'
import { azure } from './chats/azure.ts'
import { cerebras } from './chats/cerebras.ts'
import { cohere } from './chats/cohere.ts'
import { deepinfra } from './chats/deepinfra.ts'
import { deepseek } from './chats/deepseek.ts'
import { fireworks } from './chats/fireworks.ts'
import { google, googleVertex } from './chats/google.ts'
import { groq } from './chats/groq.ts'
import { mistral } from './chats/mistral.ts'
import { moonshot } from './chats/moonshot.ts'
import { ollama } from './chats/ollama.ts'
import { openai } from './chats/openai.ts'
import { openAiCompatible } from './chats/openai-compatible.ts'
import { openrouter } from './chats/openrouter.ts'
import { perplexity } from './chats/perplexity.ts'
import { sandbox } from './chats/sandbox.ts'
import { together } from './chats/together.ts'
import { tollgate } from './chats/tollgate.ts'
import { vllm } from './chats/vllm.ts'
import { xai } from './chats/xai.ts'
import type { ChatRow } from './row.ts'

/** A row for every kind that has chats. tests/structure/vendor-kinds.test.ts fails if one is missing. */
export const CHAT_ROWS: Readonly<Record<string, ChatRow>> = {
  openai,
  azure,
  anthropic,
  google,
  'google-vertex': googleVertex,
  'amazon-bedrock': amazonBedrock,
  mistral,
  cohere,
  xai,
  deepseek,
  groq,
  together,
  fireworks,
  perplexity,
  cerebras,
  deepinfra,
  alibaba,
  moonshot,
  openrouter,
  ollama,
  vllm,
  'openai-compatible': openAiCompatible,
  tollgate,
  sandbox,
}
