import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { asRefusal } from '#lib/domain/errors'
import { bedrockFrame } from '../fakes/bedrock-frames.ts'
import { bridgedAsks, MODELS, TOOL, TOOL_CALL_CONVERSATION } from '../fakes/bridged-asks.ts'
import type { Call } from '../fakes/vendor.ts'

const asks = bridgedAsks()
const { ask, run } = asks

describe('what Bedrock refuses together does not go there together', () => {
  const sampling = { temperature: 0.5, top_p: 0.5 }
  const thinkingFields = { additionalModelRequestFields: { thinking: { budget_tokens: 6400 } } }
  const results = { messages: [{}, { content: [{ toolUse: { name: 'f' } }] }, { content: [{ toolResult: {} }] }] }
  const choice = (toolChoice: object) => ({ toolConfig: { toolChoice } })
  test.each<[string, object, object, string[], string?]>([
    ["Claude's two ways of sampling", sampling, { inferenceConfig: { maxTokens: 8000, temperature: 0.5 } }, ['top_p']],
    ["what stops only Claude's request", { stop: '\n' }, { inferenceConfig: { maxTokens: 8000 } }, ['stop']],
    [
      'what stops other models',
      { stop: '\n' },
      { inferenceConfig: { maxTokens: 8000, stopSequences: ['\n'] } },
      [],
      'us.amazon.nova-pro-v1:0',
    ],
    [
      'those of others',
      sampling,
      { inferenceConfig: { maxTokens: 8000, temperature: 0.5, topP: 0.5 } },
      [],
      'us.amazon.nova-pro-v1:0',
    ],
    [
      'thoughts and a call that has to be',
      { reasoning_effort: 'high', tools: [TOOL], tool_choice: 'required' },
      { ...thinkingFields, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
    [
      'thoughts and a call of one function',
      { reasoning_effort: 'high', tools: [TOOL], tool_choice: { type: 'function', function: { name: 'f' } } },
      { ...thinkingFields, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
    [
      'thoughts and the tool that stands for an object',
      { reasoning_effort: 'high', response_format: { type: 'json_object' } },
      { ...thinkingFields, ...choice({ auto: {} }) },
      ['response_format'],
    ],
    [
      'thoughts in a turn that has called without any',
      { ...TOOL_CALL_CONVERSATION, reasoning_effort: 'high' },
      results,
      ['reasoning_effort'],
    ],
    ['thoughts and calls that may be', { reasoning_effort: 'high', tools: [TOOL] }, thinkingFields, []],
    [
      'a call that has to be, and the tool that stands for an object',
      { tools: [TOOL], tool_choice: 'required', response_format: { type: 'json_object' } },
      choice({ any: {} }),
      ['tool_choice'],
    ],
    [
      'calls that may be, and the tool that stands for an object',
      { tools: [TOOL], response_format: { type: 'json_object' } },
      choice({ any: {} }),
      [],
    ],
    [
      'results of calls, and none any more',
      { ...TOOL_CALL_CONVERSATION, tools: [TOOL], tool_choice: 'none' },
      { ...results, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
  ])('%s', async (_, body, sent, ignored, model: string = MODELS['amazon-bedrock']) => {
    const outcome = await ask('amazon-bedrock', body, { model })
    expect(outcome.sent).toMatchObject(sent)
    if ('inferenceConfig' in sent) expect(outcome.sent.inferenceConfig).toEqual(sent.inferenceConfig)
    expect(outcome.ignored).toEqual(ignored)
  })

  test('Claude gets no choice at the root of what a tool takes, which it refuses; others do', async () => {
    const parameters = { type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] }
    const body = { tools: [{ type: 'function', function: { name: 'f', parameters } }] }
    const flatSchema = { type: 'object', properties: { a: { type: 'string' } }, required: [] }
    const schemaOf = (json: object) => ({ toolConfig: { tools: [{ toolSpec: { inputSchema: { json } } }] } })
    const claude = await ask('amazon-bedrock', body)
    expect(claude).toMatchObject({ sent: schemaOf(flatSchema), ignored: ['tools.parameters'] })
    expect(JSON.stringify(claude.sent)).not.toContain('anyOf')
    const nova = await ask('amazon-bedrock', body, { model: 'us.amazon.nova-pro-v1:0' })
    expect(nova).toMatchObject({ sent: schemaOf(parameters), ignored: [] })
  })

  test('no two files have one name, which it refuses', async () => {
    const file = (filename: string) => ({ type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=', filename } })
    const names = ['Q3 report.pdf', 'Q3  report.v2.pdf', 'résumé.pdf', '报告.pdf', 'document-1.pdf', 'other.pdf']
    const { sent } = await ask('amazon-bedrock', {
      messages: [
        { role: 'user', content: [...names.map(file), { type: 'text', text: 'x' }] },
        { role: 'assistant', content: 'y' },
        { role: 'user', content: [file('Q3 report.pdf'), { type: 'text', text: 'z' }] },
      ],
    })
    const contents = (sent.messages as { content: { document?: { name: string } }[] }[]).flatMap(({ content }) => content)
    const documentNames = contents.flatMap(({ document }) => (document ? [document.name] : []))
    expect(documentNames).toEqual(['Q3 report', 'document-1', 'rsum', 'document-2', 'document-3', 'other', 'document-4'])
  })

  test('a tool has not the name of the one that stands for an object', async () => {
    const tools = [{ ...TOOL, function: { ...TOOL.function, name: 'json' } }]
    const refused = ask('amazon-bedrock', { tools, response_format: { type: 'json_object' } }).then(() => null, asRefusal)
    expect(await refused).toMatchObject({ condition: 'invalid_request', param: 'tools[0].function.name' })
    expect(await ask('amazon-bedrock', { tools })).toMatchObject({ ignored: [] })
  })

  test('nor stand tools beside it of which none may be called', async () => {
    const body = { tools: [TOOL], tool_choice: 'none', response_format: { type: 'json_object' } }
    const outcome = await ask('amazon-bedrock', body)
    expect(outcome.sent).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: 'json' } }] } })
    expect(outcome.ignored).toEqual([])
  })

  test('tools without a call so far are left out where none may be called', async () => {
    const outcome = await ask('amazon-bedrock', { tools: [TOOL], tool_choice: 'none' })
    expect(outcome.sent).not.toHaveProperty('toolConfig')
    expect(outcome.ignored).toEqual([])
  })
})

describe("Bedrock's credentials", () => {
  const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

  /** Computes Amazon's signature, version 4, of a request that came. Source: AWS, "Create a signed AWS API request". */
  function signatureOf(call: Call, secret: string, region: string, sentBody: string): string {
    const { authorization = '' } = call.headers
    const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
    const headers = names.map((name) => `${name}:${String(call.headers[name]).trim()}\n`).join('')
    const path = call.path.split('/').map(encodeURIComponent).join('/')
    const canonical = ['POST', path, '', headers, names.join(';'), hex(sentBody)].join('\n')
    const time = String(call.headers['x-amz-date'])
    const scope = `${time.slice(0, 8)}/${region}/bedrock/aws4_request`
    const key = [region, 'bedrock', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, time.slice(0, 8)))
    return hmac(key, ['AWS4-HMAC-SHA256', time, scope, hex(canonical)].join('\n')).toString('hex')
  }

  test('an access key signs what really leaves, after the gate has changed it', async () => {
    const secret = JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/secret', sessionToken: 'session' })
    const { sent } = await ask('amazon-bedrock', { reasoning_effort: 'high' }, { secret, cap: 2000 })
    expect(sent).toMatchObject({ inferenceConfig: { maxTokens: 2000 } })
    const call = asks.vendor.calls.at(-1) as Call
    const { authorization = '', 'x-amz-security-token': session } = call.headers
    expect(session).toBe('session')
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, /)
    const expected = signatureOf(call, 'wJalr/secret', 'us-east-1', JSON.stringify(sent))
    expect(authorization).toContain(`Signature=${expected}`)
  })

  test('an API key is a bearer token', async () => {
    await ask('amazon-bedrock', {}, { secret: 'ABSK-key' })
    expect(asks.vendor.calls.at(-1)?.headers.authorization).toBe('Bearer ABSK-key')
  })

  test('half an access key is the operator’s mistake, and nothing is sent', async () => {
    const callsBefore = asks.vendor.calls.length
    const failed = run('amazon-bedrock', {}, { secret: JSON.stringify({ accessKeyId: 'A' }) })
    await expect(failed).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'misconfigured' })
    expect(asks.vendor.calls.length).toBe(callsBefore)
  })
})

test("an exception in Bedrock's stream breaks it off", async () => {
  asks.vendor.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    response.write(bedrockFrame('messageStart', { role: 'assistant' }))
    response.write(bedrockFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hel' } }))
    response.end(bedrockFrame('throttlingException', { message: 'slow down' }, 'exception'))
  })
  const answer = await run('amazon-bedrock', {}, { stream: true })
  if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
  const types: string[] = []
  for await (const { part } of answer.parts) types.push(part.type)
  expect(types).toContain('text-delta')
  expect(types).toContain('error')
})
