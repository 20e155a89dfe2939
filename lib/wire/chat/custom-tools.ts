import { fieldIn } from '../../domain/field-in.ts'
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
/** Whole characters of a JSON string: those of an escape that has not arrived completely are not among them. */
const CHARACTERS = /^(?:[^"\\]+|\\u[\da-fA-F]{4}|\\[^u])+/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not allow in a string
const CONTROL = /[\u0000-\u001f]/g

/** Reads the text of a custom tool's call out of its function's arguments, piece by piece as they arrive. */
export class CustomInput {
  /** What has arrived and is not read. */
  #rest = ''
  #isOpen = false
  /** How many characters of the text were returned. */
  #length = 0

  /** Takes a piece of the arguments. Returns what it adds to the text. */
  add(piece: string): string {
    this.#rest += piece
    if (!this.#isOpen) {
      const opening = OPENING.exec(this.#rest)
      if (opening === null) return ''
      this.#isOpen = true
      this.#rest = this.#rest.slice(opening[0].length)
    }
    const encoded = CHARACTERS.exec(this.#rest)?.[0] ?? ''
    if (encoded === '') return ''
    this.#rest = this.#rest.slice(encoded.length)
    const text = decode(encoded)
    this.#length += text.length
    return text
  }

  /**
   * Takes the complete arguments. Returns the rest of the text, which is nothing if it arrived in pieces. If a model has not called its
   * tool with a text, the text is what it wrote instead.
   */
  end(json: string): string {
    const input = inputIn(json)
    if (input !== null) return input.slice(this.#length)
    return this.#length === 0 ? json : ''
  }
}

function decode(encoded: string): string {
  const escaped = encoded.replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1))
  try {
    return JSON.parse(`"${escaped}"`) as string
  } catch {
    // An escape that does not exist. What the model wrote is closer to what it meant than nothing.
    return encoded
  }
}

/** The text in complete arguments; null if they have none. */
function inputIn(json: string): string | null {
  try {
    const input = fieldIn(JSON.parse(json), INPUT)
    return typeof input === 'string' ? input : null
  } catch {
    return null
  }
}
