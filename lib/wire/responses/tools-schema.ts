import { z } from 'zod'
import { fieldIn } from '../../domain/field-in.ts'
import { refuseTool } from '../schema.ts'
import { clientRunTools, vendorDefinedChoices } from './vendor-defined-tools.ts'
import { isWebSearch, PREVIEW_SEARCH, PREVIEW_SEARCH_ERROR, webSearchTool } from './web-search.ts'

const parameters = z.record(z.string(), z.unknown()).nullish()
const callable = [
  z.looseObject({
    type: z.literal('function'),
    name: z.string().regex(/^[a-zA-Z0-9_.:-]{1,128}$/, 'a function name can have at most 128 letters, digits and _ . : -'),
    description: z.string().nullish(),
    parameters,
    strict: z.boolean().nullish(),
  }),
  z.looseObject({
    type: z.literal('custom'),
    name: z.string().min(1).max(128),
    description: z.string().nullish(),
    format: z.record(z.string(), z.unknown()).nullish(),
  }),
] as const
const namespace = z.looseObject({
  type: z.literal('namespace'),
  name: z.string().regex(/^[a-zA-Z0-9_.:-]{1,128}$/, 'a namespace can have at most 128 letters, digits and _ . : -'),
  description: z.string().nullish(),
  tools: z
    .array(z.discriminatedUnion('type', callable, { error: 'a namespace can only hold tools of type "function" and "custom"' }))
    .min(1)
    .max(256),
})
const refuseOtherTool = refuseTool(
  '"function", "custom", "shell", "local_shell", "apply_patch", "tool_search" and "web_search", and namespaces of the first two,',
)
const SEARCH_IN_ITEM = 'send "web_search" among the "tools" of the request'

/** A tool of a request. */
export const tool = z.discriminatedUnion('type', [...callable, namespace, ...clientRunTools, webSearchTool], {
  error: (issue) => (PREVIEW_SEARCH.test(String(fieldIn(issue.input, 'type'))) ? PREVIEW_SEARCH_ERROR : refuseOtherTool(issue)),
})

/** A tool that an item adds. What is held for a search of the web is known from the request's own tools. */
export const itemTool = z.discriminatedUnion('type', [...callable, namespace, ...clientRunTools], {
  error: (issue) => (isWebSearch({ type: String(fieldIn(issue.input, 'type')) }) ? SEARCH_IN_ITEM : refuseOtherTool(issue)),
})

const namedTool = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function'), name: z.string().min(1).max(128) }),
  z.looseObject({ type: z.literal('custom'), name: z.string().min(1).max(128) }),
  ...vendorDefinedChoices,
])
/** Which tool may, must or must not be called. */
export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    ...namedTool.options,
    z.looseObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['none', 'auto', 'required']).nullish(),
      tools: z.array(namedTool).min(1).max(256),
    }),
  ]),
])

export type ResponsesTool = z.infer<typeof tool>
export type CallableTool = Extract<ResponsesTool, { type: 'function' | 'custom' }>
