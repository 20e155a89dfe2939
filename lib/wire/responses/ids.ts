/** The prefix of an item's id, by its type. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  image_generation_call: 'ig',
  local_shell_call: 'lsh',
  local_shell_call_output: 'lsho',
  shell_call: 'sh',
  shell_call_output: 'sho',
  apply_patch_call: 'apc',
  apply_patch_call_output: 'apco',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  additional_tools: 'at',
  web_search_call: 'ws',
}

/** Whether an id can be a response id of this gateway. */
export const isResponseId = (id: string): boolean => /^resp_[0-9a-z]{26}$/.test(id)

const suffixOf = (responseId: string): string => responseId.slice('resp_'.length)
const prefixOf = (type: unknown): string => (typeof type === 'string' ? PREFIXES[type] : undefined) ?? 'item'

/** The id of an answer's item, by its index. It says where the item is stored. */
export const outputId = (responseId: string, type: unknown, index: number): string =>
  `${prefixOf(type)}_${suffixOf(responseId)}_${index}`

/** The id of a request's item that has none of its own. */
export const inputId = (responseId: string, type: unknown, index: number): string =>
  `${prefixOf(type ?? 'message')}_${suffixOf(responseId)}_i${index}`

/** Where the item with an id of this gateway is stored; null for other ids. */
export function parseItemId(itemId: string): { responseId: string; part: 'input' | 'output'; index: number } | null {
  const found = /^[a-z]+_([0-9a-z]{26})_(i?)(\d{1,5})$/.exec(itemId)
  if (!found) return null
  return { responseId: `resp_${found[1]}`, part: found[2] === 'i' ? 'input' : 'output', index: Number(found[3]) }
}
