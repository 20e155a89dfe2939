import { Refusal } from '../domain/errors.ts'
import { chatLanguage } from './chat/language.ts'
import { redactMedia } from './chat/media.ts'
import { chatCompletions } from './chat.ts'
import type { PaidEndpoint, PreparePorts } from './endpoint.ts'
import { responseAnswer, responseEvent } from './responses/answer.ts'
import { chatOf, checkChat, fieldOf, inOwnWords, ownWords } from './responses/chat.ts'
import { ResponsesChatTap, wholeFromChat } from './responses/chat-tap.ts'
import { contextOf } from './responses/context.ts'
import { namespaceBytes } from './responses/namespaces.ts'
import { namedNative, nativeRequest, wholeNative } from './responses/native.ts'
import { NativeTap } from './responses/native-tap.ts'
import { ResponsesPartsTap, wholeFromParts } from './responses/parts.ts'
import { type ResponsesBody, responsesSchema } from './responses/schema.ts'
import type { PreparedResponse } from './responses/stored.ts'
import { parseWith } from './schema.ts'

/**
 * What a request stands for, conversation included. It is sized as the equivalent chat, which has all of its texts and media,
 * however the vendor is asked.
 */
async function prepare(body: ResponsesBody, ports: PreparePorts): Promise<PreparedResponse> {
  const context = await contextOf(body, ports.accountId, ports.responses)
  const chat = chatOf(body, context)
  if (chat.body.messages.length === 0)
    throw new Refusal('invalid_request', 'It contains nothing to answer. Send text, or an item with content.', {
      param: 'input',
    })
  const bodyBytes = ports.bodyBytes + context.storedBytes + namespaceBytes(chat.tools)
  const sized = await inOwnWords(chat, () => chatCompletions.prepare(chat.body, { ...ports, bodyBytes }))
  // Without history, storing has to be requested.
  const store = body.store ?? ports.keepHistory
  return { body, context, chat, sized, store, thinks: ports.model.hiddenReasoning }
}

/** POST /v1/responses: the Open Responses specification over HTTP. */
export const createResponse: PaidEndpoint<ResponsesBody, PreparedResponse> = {
  kind: 'paid',
  name: 'responses',
  method: 'POST',
  docs: {
    summary: 'Create a response',
    description:
      'Follows the Open Responses specification. The output is a list of items: messages, tool calls and reasoning. `previous_response_id` continues a stored response.',
    answers: { 'application/json': responseAnswer, 'text/event-stream': responseEvent },
    refusals: ['unknown_previous'],
  },
  modalities: ['chat'],
  body: { kind: 'json' },
  request: responsesSchema,
  parse: (body) => parseWith(responsesSchema, body),
  modelOf: (body) => body.model,
  streamed: (body) => body.stream === true,
  prepare,
  bound({ sized, chat }, ...rest) {
    try {
      return chatCompletions.bound(sized, ...rest)
    } catch (error) {
      throw ownWords(error, chat)
    }
  },
  text: ({ sized }) => chatCompletions.text(sized),
  unseen: ({ sized }) => sized.unseen,
  runsOn: ({ sized }) => chatCompletions.runsOn?.(sized) ?? false,
  forms: [
    {
      wire: 'openai.responses',
      named: namedNative,
      ask: (prepared) => ({ json: nativeRequest(prepared) }),
      whole: wholeNative,
      tap: (prepared, head) => new NativeTap(prepared, head),
    },
    {
      wire: 'openai.chat',
      check: ({ context, chat }) => checkChat(context, chat.tools),
      named: (field, { chat }) => fieldOf(field, chat),
      ask: ({ chat }) => ({ json: chat.body as never }),
      whole: wholeFromChat,
      tap: (prepared, head) => new ResponsesChatTap(prepared, head),
    },
  ],
  language: {
    ask({ chat, context }, skills) {
      checkChat(context, chat.tools)
      try {
        const ask = chatLanguage(chat.body, skills)
        return { ...ask, ignored: ask.ignored.map((name) => fieldOf(name, chat)) }
      } catch (error) {
        throw ownWords(error, chat)
      }
    },
    whole: wholeFromParts,
    tap: (prepared, head) => new ResponsesPartsTap(prepared, head),
  },
  redact: (body) => redactMedia(body),
  keptAsItCame: true,
}
