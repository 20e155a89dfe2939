import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { CONDITION_TABLE, type Condition, VENDOR_CODES } from '../domain/errors.ts'
import { API } from './api.ts'
import { describeApi } from './openapi.ts'
import { refusalsOf } from './openapi-refusals.ts'
import { buildResource, INITIAL_STATE } from './responses/resource.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its paths
const document = JSON.parse(JSON.stringify(describeApi('https://gateway.test'))) as any

/** Validates a value against the schema at a pointer into the document. */
function check(pointer: string, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, formats: { binary: true } })
  ajv.addSchema(document, 'doc')
  return ajv.validate({ $ref: `doc#${pointer}` }, value) as boolean
}

const requestAt = (path: string, type: string): string =>
  `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/${type.replaceAll('/', '~1')}/schema`

describe('the OpenAPI document', () => {
  it('is one, by the schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it('has every endpoint at its address, with the schema that parses it', () => {
    for (const { path, endpoint } of API) {
      const operation = document.paths[path][endpoint.method.toLowerCase()]
      expect(operation.operationId, path).toBe(endpoint.name.replace(/\W/g, '_'))
      if (!('body' in endpoint)) continue
      const { body } = endpoint
      const types = body.kind === 'json' ? [] : ['multipart/form-data']
      if (body.kind === 'json' || body.jsonFields) types.push('application/json')
      expect(Object.keys(operation.requestBody.content)).toEqual(types)
    }
  })

  it('has the refusals of an endpoint, and no others', () => {
    const codesOf = (path: string, method: string): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries<{ 'x-codes'?: string[] }>(document.paths[path][method].responses).map(([status, answer]) => [
          status,
          answer['x-codes'] ?? [],
        ]),
      )
    const free = { 200: [], 401: ['invalid_api_key'], 429: ['rate_limit_exceeded'] }
    const failed = { 500: ['server_error'], 503: ['service_unavailable'] }
    expect(codesOf('/v1/models', 'get')).toEqual({ ...free, ...failed })
    expect(codesOf('/v1/videos/generations/{id}/cancel', 'post')).toEqual({
      ...free,
      404: ['task_not_found'],
      409: ['task_completed'],
      ...failed,
    })
    expect(codesOf('/v1/responses', 'post')).toMatchObject({
      400: [
        ...['invalid_request_error', 'idempotency_key_reused', 'context_length_exceeded', 'previous_response_not_found'],
        ...VENDOR_CODES,
      ],
      404: ['model_not_found'],
      429: ['rate_limit_exceeded', 'insufficient_quota'],
    })
    expect(codesOf('/v1/images/generations', 'post')[400]).not.toContain('previous_response_not_found')
  })

  it('has every way to refuse, but for those of files and of addresses that are none', () => {
    const said = new Set(API.flatMap(({ endpoint }) => refusalsOf(endpoint)))
    const elsewhere = new Set<Condition>([
      'wrong_signature',
      'expired_file',
      'unknown_file',
      'wrong_range',
      'unknown_path',
      'wrong_method',
    ])
    const all = Object.keys(CONDITION_TABLE) as Condition[]
    expect(all.filter((condition) => said.has(condition) === elsewhere.has(condition))).toEqual([])
  })

  it('has the headers of answers and refusals', () => {
    const of = (path: string, method: string, status: number) =>
      Object.keys(document.paths[path][method].responses[status].headers).filter((name) => !name.startsWith('x-ratelimit-'))
    const sold = ['x-tollgate-cost', 'x-tollgate-balance', 'x-tollgate-ignored', 'x-tollgate-replayed']
    expect(of('/v1/chat/completions', 'post', 200)).toEqual(['x-request-id', ...sold])
    expect(of('/v1/models', 'get', 200)).toEqual(['x-request-id'])
    const begun = ['x-request-id', 'x-tollgate-cost', 'x-tollgate-ignored', 'x-tollgate-replayed', 'retry-after']
    expect(of('/v1/videos/generations', 'post', 200)).toEqual(begun)
    expect(of('/v1/videos/generations/{id}', 'get', 200)).toEqual(['x-request-id', 'retry-after'])
    expect(of('/v1/videos/generations/{id}/cancel', 'post', 200)).toEqual(['x-request-id'])
    expect(of('/v1/chat/completions', 'post', 429)).toEqual(['x-request-id', 'retry-after', 'x-should-retry'])
    expect(of('/v1/models', 'get', 429)).toEqual(['x-request-id', 'retry-after'])
    expect(of('/v1/models', 'get', 401)).toEqual(['x-request-id'])
  })

  it('says what an Idempotency-Key may be', () => {
    const { pattern } = document.paths['/v1/chat/completions'].post.parameters[0].schema
    for (const good of ['order-4711', 'k'.repeat(255)]) expect(good).toMatch(new RegExp(pattern))
    for (const bad of ['', 'order 4711', 'é', 'k'.repeat(256)]) expect(bad).not.toMatch(new RegExp(pattern))
  })

  it('has the fields of a query', () => {
    const { parameters } = document.paths['/v1/responses/{id}/input_items'].get
    expect(parameters.map(({ name, in: place }: Record<string, string>) => `${place} ${name}`)).toEqual([
      'path id',
      'query limit',
      'query order',
      'query after',
    ])
    expect(parameters[1]).toMatchObject({ required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } })
  })

  it('says what a file may be, and how large', () => {
    const { properties } = document.paths['/v1/images/edits'].post.requestBody.content['multipart/form-data'].schema
    expect(properties.image.description).toBe('Each is one of: image/png, image/jpeg, image/webp. Up to 50 MiB each.')
    expect(properties.mask.description).toBe('One of: image/png. Up to 4 MiB.')
  })

  it('says where files stand in JSON', () => {
    const { schema } = document.paths['/v1/images/edits'].post.requestBody.content['application/json']
    expect(schema.required).toEqual(['images', 'model', 'prompt'])
    expect(schema.properties.images).toMatchObject({ type: 'array', maxItems: 16, items: { required: ['image_url'] } })
    expect(schema.properties.mask).toMatchObject({ type: 'object', required: ['image_url'] })
    expect(schema.properties).not.toHaveProperty('image')
    expect(document.paths['/v1/audio/transcriptions'].post.requestBody.content).not.toHaveProperty('application/json')
  })

  it('says of every answer what it is', () => {
    for (const { endpoint } of API) expect(Object.keys(endpoint.docs.answers).length, endpoint.name).toBeGreaterThan(0)
  })

  it('has what an answer tells besides its text', () => {
    const { ChatCompletion, ChatCompletionChunk, Response, ImageEvent } = document.components.schemas
    expect(ChatCompletion.properties.choices.items.properties).toHaveProperty('logprobs')
    expect(ChatCompletionChunk.properties.choices.items.properties.delta.properties).toHaveProperty('reasoning_content')
    const told = buildResource(
      { model: 'm', input: 'x', user: 'u' },
      { id: 'r', createdAt: 1, modelId: 'm', store: true },
      INITIAL_STATE,
    )
    expect(Object.keys(told).filter((field) => !(field in Response.properties))).toEqual([])
    expect(ImageEvent.properties).toHaveProperty('output_format')
  })

  it('says of every field of a request what it is for', () => {
    const shapes = Object.entries<{ post?: { requestBody: { content: Record<string, { schema: { $ref?: string } }> } } }>(
      document.paths,
    )
    const fields = shapes.flatMap(([path, { post }]) => {
      const [{ schema } = { schema: {} }] = Object.values(post?.requestBody?.content ?? {})
      const shape = schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
      return Object.entries<{ description?: string }>(shape.properties ?? {}).map(
        ([name, { description = '' }]) => [`${path} ${name}`, description] as const,
      )
    })
    expect(fields.length).toBeGreaterThan(90)
    expect(fields.filter(([, description]) => description === '')).toEqual([])
  })

  it('points nowhere but into itself', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '')
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      const [, kind = '', own = ''] = /^#\/components\/(schemas|headers)\/(.+)$/.exec(name) ?? []
      expect(Object.keys(document.components[kind] ?? {}), name).toContain(own)
    }
  })

  it('takes what the gateway takes and refuses what it refuses, where JSON Schema can say so', () => {
    const chat = requestAt('/v1/chat/completions', 'application/json')
    const messages = [{ role: 'user', content: 'Hello' }]
    expect(check(chat, { model: 'm', messages })).toBe(true)
    expect(check(chat, { model: 'm', messages, something_new: 1 })).toBe(true)
    for (const wrong of [{ messages }, { model: 'm' }, { model: 'm', messages: [] }, { model: 'm', messages, temperature: 3 }])
      expect(check(chat, wrong), JSON.stringify(wrong)).toBe(false)
    const video = requestAt('/v1/videos/generations', 'application/json')
    expect(check(video, { model: 'm', prompt: 'A heron', duration: 5 })).toBe(true)
    for (const wrong of [{ prompt: '' }, { prompt: 'x'.repeat(32_001) }, { prompt: 'x', duration: 7 }, { prompt: 'x', async: 1 }])
      expect(check(video, { model: 'm', ...wrong }), JSON.stringify(wrong).slice(0, 60)).toBe(false)
  })

  it('does not offer the fields that are refused', () => {
    const { properties } = document.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema
    expect(properties).toHaveProperty('temperature')
    expect(properties).not.toHaveProperty('previous_response_id')
    expect(properties).not.toHaveProperty('audio')
  })
})
