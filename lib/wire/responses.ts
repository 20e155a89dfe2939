import { refuseField } from '../domain/errors.ts'
import { choicesAsEvents } from './chat/as-events.ts'
import { toLanguageAsk } from './chat/language.ts'
import { redactMedia } from './chat/media.ts'
import { refuseUnpricedSearch } from './chat/web-search.ts'
import { chatCompletions } from './chat.ts'
import type { PaidEndpoint, PreparePorts } from './endpoint.ts'
import { responseAnswer, responseEvent } from './responses/answer.ts'
import {
  checkSupportedByChat,
  responsesFieldOf,
  translateRefusal,
  translateToChat,
  withResponsesFields,
} from './responses/chat.ts'
import { nonStreamingFromChat, ResponsesChatTap } from './responses/chat-tap.ts'
import { loadContext } from './responses/context.ts'
import { hasTools } from './responses/items-schema.ts'
import { namespaceBytes } from './responses/namespaces.ts'
import { nativeFieldToRequest, nativeRequest, readNonStreamingNative } from './responses/native.ts'
import { NativeTap } from './responses/native-tap.ts'
import { nonStreamingFromParts, ResponsesPartsTap } from './responses/parts.ts'
import type { PreparedResponse } from './responses/prepared.ts'
import { type ResponsesBody, responsesSchema } from './responses/schema.ts'
import { descriptionBytes } from './responses/vendor-defined-tools.ts'
import { allowsSearch, findWebSearch } from './responses/web-search.ts'
import { parseWith } from './schema.ts'

/**
 * What a request stands for, conversation included. It is sized as the equivalent chat, which has all of its texts and media,
 * however the vendor is asked.
 */
async function prepare(body: ResponsesBody, ports: PreparePorts): Promise<PreparedResponse> {
  const context = await loadContext(body, ports.accountId, ports.responses)
  const chat = translateToChat(body, context)
  if (chat.body.messages.length === 0)
    throw refuseField('input', 'It contains nothing to answer. Send text, or an item with content.')
  const searchTool = findWebSearch(body)
  if (searchTool >= 0) refuseUnpricedSearch(`tools[${searchTool}].type`, ports.price.rates, ports.model.id)
  const tools = [...(body.tools ?? []), ...context.items.flatMap((item) => (hasTools(item) ? item.tools : []))]
  const bodyBytes = ports.bodyBytes + context.storedBytes + namespaceBytes(chat.tools) + descriptionBytes(tools)
  const preparedChat = await withResponsesFields(chat, () => chatCompletions.prepare(chat.body, { ...ports, bodyBytes }))
  // Without history, storing has to be requested.
  const store = body.store ?? ports.keepHistory
  return { body, context, chat, preparedChat, store, canEncryptReasoning: ports.model.hiddenReasoning }
}

/** POST /v1/responses: the Open Responses specification over HTTP. */
export const createResponse: PaidEndpoint<ResponsesBody, PreparedResponse> = {
  kind: 'paid',
  name: 'responses',
  method: 'POST',
  docs: {
    summary: 'Create a response',
    description:
      'Follows the Open Responses specification. The output is a list of items: messages, tool calls, reasoning and images. `previous_response_id` continues a stored response.',
    answers: { 'application/json': responseAnswer, 'text/event-stream': responseEvent },
    refusals: ['unknown_previous'],
  },
  modalities: ['chat'],
  body: { kind: 'json' },
  request: responsesSchema,
  parse: (body) => parseWith(responsesSchema, body),
  modelOf: (body) => body.model,
  isStreamed: (body) => body.stream === true,
  prepare,
  bound({ preparedChat, chat }, ...rest) {
    try {
      return chatCompletions.bound(preparedChat, ...rest)
    } catch (error) {
      throw translateRefusal(error, chat)
    }
  },
  text: ({ preparedChat }) => chatCompletions.text(preparedChat),
  nonTextTokens: ({ preparedChat }) => preparedChat.nonTextTokens,
  continuesAfterDisconnect: ({ preparedChat }) => chatCompletions.continuesAfterDisconnect?.(preparedChat) ?? false,
  forms: [
    {
      wire: 'openai.responses',
      requestFieldOf: nativeFieldToRequest,
      ask: (prepared) => ({ json: nativeRequest(prepared) }),
      readNonStreaming: readNonStreamingNative,
      createTap: (prepared, head) => new NativeTap(prepared, head),
    },
    {
      wire: 'openai.chat',
      check: ({ body, context, chat }) => checkSupportedByChat(body, context, chat, null),
      requestFieldOf: (field, { chat }) => responsesFieldOf(field, chat),
      ask: ({ chat }) => ({ json: chat.body as never }),
      readNonStreaming: nonStreamingFromChat,
      createTap: (prepared, head) => new ResponsesChatTap(prepared, head),
      asEvents: choicesAsEvents,
    },
  ],
  language: {
    ask({ body, chat, context }, skills) {
      checkSupportedByChat(body, context, chat, skills)
      try {
        const ask = toLanguageAsk(allowsSearch(body) ? chat.body : { ...chat.body, web_search_options: null }, skills)
        return { ...ask, ignored: ask.ignored.map((name) => responsesFieldOf(name, chat)) }
      } catch (error) {
        throw translateRefusal(error, chat)
      }
    },
    readNonStreaming: nonStreamingFromParts,
    createTap: (prepared, head) => new ResponsesPartsTap(prepared, head),
  },
  redact: (body) => redactMedia(body),
  storesBodyVerbatim: true,
}
