import type { JsonObject } from '../json.ts'
import type { ClientRunCall, ClientRunOutput } from './items-schema.ts'

/** The call of a tool that its vendor defines, written as a function's. Only what counts and measures a request reads it. */
export const functionCallOf = (item: ClientRunCall): JsonObject => ({
  id: item.call_id,
  type: 'function',
  function: { name: item.type.replace(/_call$/, ''), arguments: JSON.stringify(inputOf(item) ?? null) },
})

const inputOf = (item: ClientRunCall): unknown =>
  item.type === 'apply_patch_call' ? item.operation : item.type === 'tool_search_call' ? item.arguments : item.action

/** The id that the call has to which an output belongs. */
export const callIdOf = (item: ClientRunOutput): string =>
  // OpenAI's own clients put the id of the call there.
  item.type === 'local_shell_call_output' ? (item.call_id ?? item.id) : item.call_id

export function outputTextOf(item: ClientRunOutput): string {
  const output = item.type === 'tool_search_output' ? item.tools : item.output
  return typeof output === 'string' ? output : JSON.stringify(output ?? '')
}
