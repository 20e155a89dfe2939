import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { REFERENCE, referenceRequired } from './reference.ts'

/** The schemas of the OpenAI document against which requests to vendors and answers to clients are checked. */
export type DocumentSchema =
  | 'CreateCompletionRequest'
  | 'CreateCompletionResponse'
  | 'CreateEmbeddingRequest'
  | 'CreateEmbeddingResponse'
  | 'CreateChatCompletionRequest'
  | 'CreateChatCompletionResponse'
  | 'CreateChatCompletionStreamResponse'
  | 'ListModelsResponse'
  | 'Model'
  | 'ErrorResponse'
  | 'ImagesResponse'
  | 'ImageGenPartialImageEvent'
  | 'ImageGenCompletedEvent'
  | 'ImageEditPartialImageEvent'
  | 'ImageEditCompletedEvent'
  | 'CreateImageRequest'
  | 'CreateImageEditRequest'
  | 'CreateSpeechRequest'
  | 'CreateSpeechResponseStreamEvent'
  | 'CreateTranscriptionRequest'
  | 'CreateTranscriptionResponseJson'
  | 'CreateTranscriptionResponseVerboseJson'
  | 'CreateTranscriptionResponseStreamEvent'
  | 'CreateTranslationRequest'
  | 'CreateTranslationResponseJson'
  | 'CreateTranslationResponseVerboseJson'
  | 'Response'
  | 'ResponseStreamEvent'
  | 'ResponseItemList'
  | 'CreateResponse'

/** The OpenAI API as its own document describes it. */
export interface OpenAiDocument {
  /** Lists the problems of a value against a schema. Empty if there are none. */
  findProblems(schema: DocumentSchema, value: unknown): string[]
}

/** The path of the document. It is stored next to the project, not in it. */
export const OPENAI_DOCUMENT = resolve(REFERENCE, 'openai-openapi.json')

/** True if the document has to exist, as on a build server. */
export const documentRequired = referenceRequired

/**
 * Expresses in JSON Schema 2020 what OpenAPI 3.0 expresses with `nullable: true`. The document declares itself 3.1 and still has
 * 111 of them. Validators of 3.1 do not know that keyword, so recorded answers of OpenAI itself would fail.
 */
function expandNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expandNullable)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = value as Record<string, unknown>
  const converted = Object.fromEntries(
    Object.entries(nullable === true ? rest : value).map(([name, item]) => [name, expandNullable(item)]),
  )
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted
}

/** Reads the document and builds its validators. Null if it is missing. Throws if it cannot be read. */
export function loadOpenAiDocument(path: string = OPENAI_DOCUMENT): OpenAiDocument | null {
  if (!existsSync(path)) return null
  const { components } = JSON.parse(readFileSync(path, 'utf8')) as { components: unknown }
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, validateSchema: false })
  ajv.addSchema({ $id: 'openai', components: expandNullable(components) })
  return {
    findProblems(schema, value) {
      const validate = ajv.getSchema(`openai#/components/schemas/${schema}`)
      if (!validate) throw new Error(`the OpenAI document has no schema "${schema}"`)
      if (validate(value)) return []
      return (validate.errors ?? []).map((error) => `${schema}${error.instancePath} ${error.message ?? 'is not valid'}`)
    },
  }
}
