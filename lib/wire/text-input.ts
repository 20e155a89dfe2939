import { z } from 'zod'
import { Refusal } from '../domain/errors.ts'
import type { PreparePorts } from './endpoint.ts'
import { maxTokensOf, tooLongFor } from './token-bound.ts'

/** If bytes leave doubt, at most this many characters of a request are counted. The vendor checks the rest. */
const MAX_COUNTED = 400_000

/**
 * The most bytes of text that the tokens of one request may stand for. A request itself may be no larger, unless an operator
 * allows it.
 */
const MAX_DECODED_BYTES = 16 * 1024 * 1024

/** The most texts in one request: each is a call or a part of one, and takes some memory here. */
const MAX_TEXTS = 10_000

/** Above this, JSON's numbers are not exact. No vocabulary is as large. */
const MAX_TOKEN_ID = Number.MAX_SAFE_INTEGER

const FORMAT_ERROR = 'it must be text, a list of texts, a list of token ids, or a list of such lists'
const EMPTY_LIST = 'a list needs at least one item'

export type TextInput = string | string[] | number[] | number[][]

interface Problem {
  path: number[]
  message: string
}

/**
 * A field that takes what OpenAI's older endpoints take: a text, texts, tokens, or lists of tokens. `emptyError` says what an empty
 * text lacks, or is null if a text may be empty. The items are checked here and not by schemas, because schemas report every
 * invalid item, and millions of reports are larger than the memory of this process.
 */
export function textInput(emptyError: string | null): z.ZodType<TextInput> {
  const schema = z
    .union([z.string(), z.array(z.unknown())], { error: FORMAT_ERROR })
    .superRefine((input, context) => {
      const problem = findProblem(input, emptyError)
      if (problem) context.addIssue({ code: 'custom', ...problem })
    })
    .meta({ anyOf: shapesOf(emptyError === null ? 0 : 1) })
  return schema as unknown as z.ZodType<TextInput>
}

/** What the field takes, as the documentation shows it. */
function shapesOf(minLength: number): object[] {
  const text = { type: 'string', minLength }
  const tokens = { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0, maximum: MAX_TOKEN_ID } }
  const list = (items: object) => ({ type: 'array', minItems: 1, maxItems: MAX_TEXTS, items })
  return [text, list(text), tokens, list(tokens)]
}

function findProblem(input: string | unknown[], emptyError: string | null): Problem | null {
  const [first] = input
  if (typeof input === 'string') return findTextProblem(input, [], emptyError)
  if (typeof first === 'number') return findTokensProblem(input, [])
  if (input.length === 0) return { path: [], message: EMPTY_LIST }
  if (input.length > MAX_TEXTS) return { path: [], message: `a request can have at most ${MAX_TEXTS} texts` }
  for (const [at, item] of input.entries()) {
    const problem = Array.isArray(first) ? findTokensProblem(item, [at]) : findTextProblem(item, [at], emptyError)
    if (problem) return problem
  }
  return null
}

function findTextProblem(item: unknown, path: number[], emptyError: string | null): Problem | null {
  if (typeof item !== 'string') return { path, message: FORMAT_ERROR }
  return item === '' && emptyError !== null ? { path, message: emptyError } : null
}

function findTokensProblem(item: unknown, path: number[]): Problem | null {
  if (!Array.isArray(item)) return { path, message: FORMAT_ERROR }
  if (item.length === 0) return { path, message: EMPTY_LIST }
  const wrong = item.findIndex((token) => !Number.isSafeInteger(token) || token < 0)
  return wrong < 0 ? null : { path: [...path, wrong], message: `a token must be a whole number from 0 to ${MAX_TOKEN_ID}` }
}

/** One text of a request, or its tokens. */
export type TextItem = string | readonly number[]

/** The texts of a request, one by one. */
export function itemsOf(input: TextInput): TextItem[] {
  if (typeof input === 'string') return [input]
  return typeof input[0] === 'number' ? [input as number[]] : (input as string[] | number[][])
}

/** The path of an item in its field: `input`, or `input[3]`. */
export const itemPath = (field: string, input: TextInput, at: number): string =>
  Array.isArray(input) && typeof input[0] !== 'number' ? `${field}[${at}]` : field

/** The most tokens that an item can have, up to `limit`, the model's context. */
export function maxItemTokens(item: TextItem, limit: number): number {
  if (typeof item !== 'string') return Math.min(item.length, limit)
  return Buffer.byteLength(item) >= limit ? limit : Math.min(maxTokensOf(item), limit)
}

/** The items as one text that has about as many tokens. A space is part of the word after it. */
export const countableText = (items: readonly TextItem[]): string =>
  items.map((item) => (typeof item === 'string' ? item : ' x'.repeat(item.length))).join(' ')

/**
 * The items as texts; null for tokens that are not text. Throws the 413 if the texts of tokens are too large, because few tokens
 * can stand for long texts.
 */
export async function decodeTexts(
  field: string,
  input: TextInput,
  { decodeTokens }: Pick<PreparePorts, 'decodeTokens'>,
): Promise<(string | null)[]> {
  const texts: (string | null)[] = []
  let bytes = 0
  for (const [at, item] of itemsOf(input).entries()) {
    const text = typeof item === 'string' ? item : await decodeTokens(item)
    texts.push(text)
    if (text === null || text === item) continue
    bytes += Buffer.byteLength(text)
    if (bytes > MAX_DECODED_BYTES)
      throw new Refusal('too_large', 'The text of these tokens is larger than 16 MiB. Send it in parts.', {
        param: itemPath(field, input, at),
      })
  }
  return texts
}

const sizeOf = (item: TextItem): number => (typeof item === 'string' ? Buffer.byteLength(item) : item.length)

/**
 * Throws the 400 for the first item that is longer than the model's context, together with the suffix if there is one. Returns
 * the most tokens that each item can have as far as is known: the context, or no limit if the item was not counted.
 */
export async function checkContext(
  field: string,
  input: TextInput,
  { model, countTokens }: PreparePorts,
  suffix = '',
): Promise<number[]> {
  const { contextWindow: context } = model
  const limits: number[] = []
  let remainingChars = MAX_COUNTED
  let suffixTokens: number | null = null
  for (const [at, item] of itemsOf(input).entries()) {
    // Counting is slow. It pays only if the bytes leave doubt.
    const mayExceed = sizeOf(item) + Buffer.byteLength(suffix) > context
    const counts = mayExceed && (typeof item !== 'string' || remainingChars > 0)
    limits.push(mayExceed && !counts ? Number.POSITIVE_INFINITY : context)
    if (!counts) continue
    remainingChars -= item.length
    suffixTokens ??= suffix === '' ? 0 : await countTokens(suffix)
    const counted = typeof item === 'string' ? await countTokens(item) : item.length
    if (counted + suffixTokens > context)
      throw new Refusal(
        'context_exceeded',
        `${tooLongFor(context)}: this text has about ${Math.max(counted, suffixTokens)}${suffixTokens > 0 ? `, and the one ${suffixTokens > counted ? 'before' : 'after'} it about ${Math.min(counted, suffixTokens)}` : ''}. Shorten it.`,
        { param: suffixTokens > counted ? 'suffix' : itemPath(field, input, at) },
      )
  }
  return limits
}
