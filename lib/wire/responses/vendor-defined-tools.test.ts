import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { createResponse } from '../responses.ts'
import { CLAUDE, preparedResponse } from '../testing.ts'
import { nativeRequest } from './native.ts'
import { NativeTap } from './native-tap.ts'

const [native, chat] = createResponse.forms
const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }

const TOOLS = [{ type: 'local_shell' }, { type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }]
const user = { role: 'user', content: 'x' }
const shellCall = { type: 'shell_call', id: 'sh_1', status: 'completed', call_id: 'c1', action: { commands: ['ls'] } }
const shown = { stdout: 'a.ts', stderr: '', outcome: { type: 'exit', exit_code: 0 } }
const shellOutput = { type: 'shell_call_output', id: 'sho_1', call_id: 'c1', output: [shown], max_output_length: 100 }
const operation = { type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b' }
const patchCall = { type: 'apply_patch_call', id: 'apc_1', status: 'completed', call_id: 'c2', operation }
const patchOutput = { type: 'apply_patch_call_output', call_id: 'c2', status: 'failed', output: 'no such file' }
const action = { type: 'exec', command: ['ls', '-l'], env: {} }
const localCall = { type: 'local_shell_call', id: 'lsh_1', status: 'completed', call_id: 'c3', action }
const localOutput = { type: 'local_shell_call_output', id: 'c3', output: 'a.ts' }

describe('tools that a client runs, at a vendor of responses', () => {
  it('are sent as they came, and so are their items, without the ids that the vendor does not know', async () => {
    const input = [user, shellCall, shellOutput, patchCall, patchOutput, localCall, localOutput]
    const prepared = await preparedResponse({ tools: TOOLS, tool_choice: { type: 'apply_patch' }, input })
    expect(native?.check).toBeUndefined()
    const { id: _, ...bareCall } = shellCall
    const { id: _o, ...bareOutput } = shellOutput
    const { id: _p, ...barePatch } = patchCall
    expect(nativeRequest(prepared)).toMatchObject({
      tools: TOOLS,
      tool_choice: { type: 'apply_patch' },
      input: [{ ...user, type: 'message' }, bareCall, bareOutput, barePatch, patchOutput, localCall, localOutput],
    })
    expect((nativeRequest(prepared).input as JsonObject[])[1]).not.toHaveProperty('id')
  })

  it('run at the client if the request does not say where', async () => {
    for (const tool of [{ type: 'shell' }, { type: 'shell', environment: null }])
      expect(nativeRequest(await preparedResponse({ tools: [tool] })).tools).toEqual([TOOLS[1]])
  })

  it.each(['container_auto', 'container_reference'])('do not run in a container: %s', async (type) => {
    const tools = [{ type: 'shell', environment: { type, container_id: 'cntr_1' } }]
    await expect(preparedResponse({ tools })).rejects.toMatchObject({
      param: 'tools[0].environment.type',
      message: expect.stringMatching(/on your own machine/),
    })
    const call = { ...shellCall, environment: { type, container_id: 'cntr_1' } }
    await expect(preparedResponse({ input: [call, shellOutput] })).rejects.toMatchObject({ param: 'input[0].environment.type' })
  })

  it('are held for with what the vendor says of them', async () => {
    const boundOf = async (tools: object[]) => (await preparedResponse({ tools })).preparedChat.inputBound
    const one = await boundOf([{ type: 'apply_patch' }])
    expect((await boundOf([{ type: 'apply_patch' }, { type: 'shell' }])) - one).toBeGreaterThan(4000)
  })

  it('have what they were told and showed counted', async () => {
    const prepared = await preparedResponse({
      input: [user, shellCall, shellOutput, patchCall, patchOutput, localCall, localOutput],
    })
    const text = createResponse.text(prepared)
    for (const part of ['ls', 'a.ts', '-a', 'no such file', '-l']) expect(text).toContain(part)
  })

  it('end an answer as calls do, and their calls are counted', async () => {
    const tap = new NativeTap(await preparedResponse({ tools: TOOLS }), head)
    const response = { status: 'completed', output: [shellCall, patchCall], usage: null }
    const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
    const command = { type: 'response.shell_call_command.delta', output_index: 0, command_index: 0, delta: 'ls' }
    tap.push(event({ type: 'response.output_item.added', output_index: 0, item: { ...shellCall, status: 'in_progress' } }))
    expect(Buffer.from(tap.push(event(command))).toString()).toContain('"delta":"ls"')
    expect(tap.started).toBe(true)
    tap.push(event({ type: 'response.completed', response }))
    expect(tap.end()).toMatchObject({ complete: true, finishReason: 'tool_calls' })
    expect(tap.text()).toContain('"commands":["ls"]')
    expect(tap.toAnswerJson()).toMatchObject({
      output: [
        { ...shellCall, id: `sh_${'0'.repeat(26)}_0` },
        { ...patchCall, id: `apc_${'0'.repeat(26)}_1` },
      ],
    })
  })
})

describe('calls and their outputs', () => {
  it.each([
    ['by the id of the call', localOutput],
    ['by its own', { ...localOutput, id: 'x', call_id: 'c3' }],
    ['by the id of the item', { ...localOutput, id: 'lsh_1' }],
  ])('belong together at a local shell %s', async (_name, output) => {
    await expect(preparedResponse({ input: [localCall, output] })).resolves.toBeDefined()
  })

  it.each([
    ['a call without its output', [shellCall], 'input[0]', /has no output/],
    ['an output without its call', [user, patchOutput], 'input[1].call_id', /no call "c2"/],
    ['two outputs', [localCall, localOutput, localOutput], 'input[2].call_id', /already has an output/],
  ])('are refused: %s', async (_name, input, param, message) => {
    await expect(preparedResponse({ input })).rejects.toMatchObject({ param, message: expect.stringMatching(message) })
  })
})

describe('for a model that is called through chats', () => {
  it.each([
    ['tools[1].type', { tools: [{ type: 'function', name: 'f' }, { type: 'shell' }] }, /"function"/],
    ['tools[0].type', { tools: [{ type: 'local_shell' }] }, /vendor offers responses/],
    ['tool_choice.type', { tool_choice: { type: 'apply_patch' } }, /vendor offers responses/],
    [
      'tool_choice.tools[1].type',
      { tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }, { type: 'shell' }] } },
      /vendor offers responses/,
    ],
    ['input[0].type', { input: [shellCall, shellOutput] }, /function_call_output/],
    ['input[1].type', { input: [user, localCall, localOutput] }, /function_call/],
  ])('a 400 names %s', async (param, body, message) => {
    const prepared = await preparedResponse(body)
    const refusal = expect.objectContaining({ param, message: expect.stringMatching(message) })
    expect(() => chat?.check?.(prepared)).toThrow(refusal)
    expect(() => createResponse.language?.ask(prepared, CLAUDE)).toThrow(refusal)
  })
})
