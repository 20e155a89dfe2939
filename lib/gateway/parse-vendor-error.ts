import { VENDOR_CODES } from '../domain/errors.ts'
import { objectIn } from '../wire/json.ts'

/** What a vendor says about a request that it rejects. */
export interface VendorErrorInfo {
  message: string | null
  /** The field that the vendor names. */
  param: string | null
  /** OpenAI's code for what is wrong, if the vendor gives one that clients know. */
  code: string | null
  /** Whether the vendor says that the request exceeds the model's context. */
  tooLong: boolean
}

const MAX_PARAM_LENGTH = 100

/** The fields in which vendors put their message, the most specific first. An object or a list there is searched too. */
const MESSAGE_FIELDS = ['error', 'message', 'detail', 'details', 'errors', 'msg', 'err_msg', 'title', 'raw', 'description']
const MAX_DEPTH = 6

/** The first text that is a message, searched in every place where a vendor is known to put one. */
function findMessage(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (Array.isArray(value)) return firstMatch(value.slice(0, 3), (item) => findMessage(item, depth + 1))
  const fields = objectIn(value)
  return fields && firstMatch(MESSAGE_FIELDS, (name) => findMessage(fields[name], depth + 1))
}

/** The field at fault: by its name, as OpenAI gives it, or by its path, as in FastAPI's `loc`. */
function findParam(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null
  if (Array.isArray(value)) return firstMatch(value.slice(0, 3), (item) => findParam(item, depth + 1))
  const fields = objectIn(value)
  if (!fields) return null
  const { param, loc } = fields
  if (typeof param === 'string' && param !== '') return param.slice(0, MAX_PARAM_LENGTH)
  if (Array.isArray(loc))
    return (
      loc
        .filter((step) => step !== 'body')
        .join('.')
        .slice(0, MAX_PARAM_LENGTH) || null
    )
  return firstMatch(MESSAGE_FIELDS, (name) => findParam(fields[name], depth + 1))
}

const KNOWN_CODES: ReadonlySet<string> = new Set(VENDOR_CODES)

function findCode(value: unknown, depth = 0): string | null {
  const fields = objectIn(value)
  if (!fields || depth > MAX_DEPTH) return null
  const { code, error } = fields
  return typeof code === 'string' && KNOWN_CODES.has(code) ? code : findCode(error, depth + 1)
}

/** OpenAI's code for a request that exceeds the context. Azure, Groq and Cerebras use it too. */
const TOO_LONG_CODE = 'context_length_exceeded'

/**
 * How vendors without a code of their own say it: Anthropic; Google; vLLM (in two ways), DeepSeek and Mistral; SGLang (in two
 * ways); xAI; llama.cpp; LM Studio; Together; Amazon Bedrock; Moonshot; Alibaba; Cohere. Matched only at the beginning of a message,
 * because later parts may quote the request.
 */
const TOO_LONG = new RegExp(
  `^(?:<400> \\S+: )?.{0,40}(${[
    String.raw`\bprompt is too long`,
    String.raw`\binput token count .{0,40}(exceeds the maximum number of tokens|less than the context length)`,
    String.raw`\bmaximum (context|prompt) length`,
    String.raw`\bpassed \d+ input tokens\b.{0,80}\bcontext length`,
    String.raw`\b(requested token count exceeds|input .{0,20}is longer than) the model's (maximum )?context length`,
    String.raw`\bcontext (window|limit)\b.{0,20}\bexceed`,
    String.raw`\bexceeds? (the (available )?|this model's )?context\b`,
    String.raw`\btokens to keep from the initial prompt is greater than the context length`,
    String.raw`\bcontains \d+ tokens\b.{0,40} too large for model`,
    String.raw`\binput is too long for requested model`,
    String.raw`\bexceeded model token limit`,
    String.raw`\brange of input length should be`,
    String.raw`\btoo many tokens: size limit exceeded`,
  ].join('|')})`,
  'i',
)

function hasTooLongCode(value: unknown, depth = 0): boolean {
  const fields = objectIn(value)
  if (!fields || depth > MAX_DEPTH) return false
  return fields.code === TOO_LONG_CODE || hasTooLongCode(fields.error, depth + 1)
}

function firstMatch<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}

/** Reads a vendor's error text in any of the known shapes. Text that is not JSON is ignored, because it may be a proxy's page. */
export function parseVendorError(text: string): VendorErrorInfo {
  try {
    const parsed: unknown = JSON.parse(text)
    const fields = objectIn(parsed)
    // OpenRouter passes on what the vendor behind it said; its own message only says that there was an error.
    const nestedText = objectIn(objectIn(fields?.error)?.metadata)?.raw
    const nested = typeof nestedText === 'string' ? parseVendorError(nestedText) : null
    const raw = nested ? (nested.message ?? (nestedText as string)) : null
    const message = raw ?? (typeof parsed === 'string' ? null : findMessage(parsed))
    const tooLong = hasTooLongCode(parsed) || nested?.tooLong === true || TOO_LONG.test(message ?? '')
    return { message, param: findParam(parsed), code: nested?.code ?? findCode(parsed), tooLong }
  } catch {
    return { message: null, param: null, code: null, tooLong: false }
  }
}
