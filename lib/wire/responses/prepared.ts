import { responseIdOf } from '../../domain/stored-response.ts'
import type { Usage } from '../../domain/usage.ts'
import type { AnswerHead, FinishPorts } from '../answer.ts'
import type { chatCompletions } from '../chat.ts'
import type { JsonObject } from '../json.ts'
import type { ChatTranslation } from './chat.ts'
import type { Context } from './context.ts'
import type { ResponseHead } from './resource.ts'
import type { ResponsesBody } from './schema.ts'
import { writeResponsesUsage } from './usage.ts'

/** A request to POST /v1/responses with everything that it stands for. */
export interface PreparedResponse {
  body: ResponsesBody
  context: Context
  /** The same request as a chat. It is bounded as a chat, and asked as one if the vendor does not speak this wire. */
  chat: ChatTranslation
  preparedChat: Awaited<ReturnType<typeof chatCompletions.prepare>>
  /** Whether the answer will be stored. */
  store: boolean
  /** Whether the model can return its reasoning encrypted. */
  canEncryptReasoning: boolean
}

/** What the response says about itself in every event. */
export const headOf = ({ store }: PreparedResponse, { requestId, modelId, at }: AnswerHead): ResponseHead => ({
  id: responseIdOf(requestId),
  createdAt: Math.floor(at.getTime() / 1000),
  modelId,
  store,
})

/** Stores an answer if that was requested. Its cost is not known yet, and will be in its usage record. */
export async function saveAnswer(
  response: JsonObject,
  usage: Usage | null,
  { body, context, store }: PreparedResponse,
  { id }: ResponseHead,
  ports: FinishPorts,
): Promise<void> {
  if (!store) return
  await ports.responses.save({
    id,
    accountId: ports.accountId,
    previousId: body.previous_response_id ?? null,
    at: ports.at,
    response: { ...response, usage: usage && writeResponsesUsage(usage, null) },
    input: context.own,
  })
}
