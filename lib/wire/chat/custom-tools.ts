import { fieldIn } from '../../domain/field-in.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import { type JsonObject, objectIn, textIn } from '../json.ts'
import type { PromptNotes } from './prompt-helpers.ts'
import type { ChatBody } from './schema.ts'

// A custom tool is called with any text. Vendors that only know functions get it as a function whose one argument is that text.

/** The argument that is the text. */
const INPUT = 'input'

type Tool = NonNullable<ChatBody['tools']>[number]
type FunctionDefinition = Extract<Tool, { type: 'function' }>['function']
type CustomTool = Extract<Tool, { type: 'custom' }>

/** The names of a request's custom tools. */
export const customToolNames = ({ tools }: Pick<ChatBody, 'tools'>): ReadonlySet<string> =>
  new Set((tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])))

/**
 * A custom tool as the definition of a function. No vendor but OpenAI makes its model write by a grammar. So the model is only told
 * it, and that is noted.
 */
export function functionOfCustomTool({ custom }: CustomTool, notes: PromptNotes): FunctionDefinition {
  const grammar = grammarOf(custom)
  if (grammar !== null) notes.ignored.add('tools.custom.format')
  const description = [textIn(custom.description), grammar ?? ''].filter((text) => text !== '').join('\n\n')
  return {
    name: custom.name,
    ...(description === '' ? {} : { description }),
    parameters: {
      type: 'object',
      properties: { [INPUT]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: [INPUT],
      additionalProperties: false,
    },
  }
}

/** What the function of a custom tool says beyond the tool itself, in bytes, and so in tokens at most. */
const ADDED_BYTES = 256

/** How many tokens a request's custom tools have at most if they are sent as functions, beyond its own bytes. */
export const tokensAddedToCustomTools = ({ tools }: Pick<ChatBody, 'tools'>): number =>
  (tools ?? []).filter(({ type }) => type === 'custom').length * ADDED_BYTES

/** The grammar that a tool's input has to follow, in words for its model; null if it has none. */
function grammarOf(custom: CustomTool['custom']): string | null {
  const grammar = objectIn(fieldIn(custom.format, 'grammar'))
  if (grammar === null) return null
  return `The input must match this grammar (${textIn(grammar.syntax) || 'lark'}):\n${textIn(grammar.definition)}`
}

/** What a call of a custom tool says, as the arguments of its function. */
export const argumentsOfCustomCall = (input: string): JsonObject => ({ [INPUT]: input })

/** How the arguments begin, up to the first character of the text. */
const OPENING = new RegExp(String.raw`^\s*\{\s*"${INPUT}"\s*:\s*"`)
/** If the text has not begun after this many characters, it is not looked for again with every piece. */
const MAX_OPENING_CHARS = 200
/**
 * Characters of a JSON string, and escapes that have arrived completely, also those that do not exist. All of a long text in one match
 * would need a stack as deep as it has escapes.
 */
const CHARACTERS = /(?:[^"\\]+|\\u[\da-fA-F]{4}|\\u(?=[\da-fA-F]{0,3}[^\da-fA-F])|\\[^u]){1,10000}/y
const ESCAPE = /\\(?:u([\da-fA-F]{4})|([^u]))/g
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }
const HIGH_SURROGATE = /[\ud800-\udbff]$/

/** Reads the text of a custom tool's call out of its function's arguments, piece by piece as they arrive. */
export class CustomInput {
  /** What has arrived and is not read. */
  #rest = ''
  #state: 'before' | 'text' | 'after' = 'before'
  /** The first half of a character whose second half has not arrived. Clients cannot always join halves. */
  #half = ''
  /** How many characters of the text were returned. */
  #length = 0

  /** Takes a piece of the arguments. Returns what it adds to the text. */
  add(piece: string): string {
    if (this.#state === 'after') return ''
    this.#rest += piece
    if (this.#state === 'before' && !this.#findText()) return ''
    const text = this.#half + this.#takeText()
    this.#half = (this.#state === 'text' && HIGH_SURROGATE.exec(text)?.[0]) || ''
    const whole = text.slice(0, text.length - this.#half.length)
    this.#length += whole.length
    return whole
  }

  /**
   * Takes the complete arguments. Returns the rest of the text, which is nothing if it arrived in pieces. If a model has not called its
   * tool with a text, the text is what it wrote instead.
   */
  end(json: string): string {
    const input = inputIn(json)
    if (input !== null) return input.slice(this.#length)
    // What is not quite JSON is read as it would be in pieces.
    return this.#length === 0 ? new CustomInput().add(json) || json : ''
  }

  #findText(): boolean {
    const opening = OPENING.exec(this.#rest)
    if (opening !== null) {
      this.#state = 'text'
      this.#rest = this.#rest.slice(opening[0].length)
    } else if (this.#rest.length > MAX_OPENING_CHARS) this.#stop()
    return opening !== null
  }

  #takeText(): string {
    const pieces: string[] = []
    let at = 0
    CHARACTERS.lastIndex = 0
    for (let match = CHARACTERS.exec(this.#rest); match !== null; match = CHARACTERS.exec(this.#rest)) {
      at = CHARACTERS.lastIndex
      pieces.push(decode(match[0]))
    }
    this.#rest = this.#rest.slice(at)
    if (this.#rest.startsWith('"')) this.#stop()
    return pieces.join('')
  }

  #stop(): void {
    this.#state = 'after'
    this.#rest = ''
  }
}

/** Characters as they are meant. Of an escape that does not exist, what the model wrote is closer to that than nothing. */
const decode = (encoded: string): string =>
  encoded.replace(ESCAPE, (written, code: string | undefined, letter: string) =>
    code === undefined ? (ESCAPES[letter] ?? written) : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** The text in complete arguments, which is empty if there are no arguments; null if something else is in them. */
function inputIn(json: string): string | null {
  try {
    const args: unknown = JSON.parse(json)
    const input = fieldIn(args, INPUT)
    if (typeof input === 'string') return input
    return isPlainObject(args) && Object.keys(args).length === 0 ? '' : null
  } catch {
    return null
  }
}
