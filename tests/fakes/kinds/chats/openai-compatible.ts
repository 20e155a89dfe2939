import { type ChatRow, recorded } from '../row.ts'
import { openai } from './openai.ts'

const CITY = [['weather', '{"location":"San Francisco"}']] as const

/** Self-hosted servers, with xAI's answers recorded through a package for any such server. */
export const openAiCompatible: ChatRow = {
  ...openai,
  upstreamModel: 'grok-3-mini',
  text: [
    recorded(
      'openai-compatible/chat/xai-text.json',
      { prompt: 12, cached: 2, completion: 322, reasoning: 320 },
      { says: /^Grok$/ },
    ),
  ],
  stream: [
    recorded(
      'openai-compatible/chat/xai-text.chunks.txt',
      { prompt: 12, cached: 11, completion: 342, reasoning: 340 },
      { says: /^Grok$/ },
    ),
  ],
  tools: [
    recorded(
      'openai-compatible/chat/xai-tool-call.json',
      { prompt: 307, cached: 244, completion: 281, reasoning: 255 },
      { calls: CITY },
    ),
  ],
  toolStream: [
    recorded(
      'openai-compatible/chat/xai-tool-call.chunks.txt',
      { prompt: 307, cached: 306, completion: 253, reasoning: 227 },
      { calls: CITY },
    ),
  ],
  faults: openai.faults,
  brokenStream: openai.brokenStream,
}
