import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** Of a name, Bedrock's package keeps what stands before the first point, and of that no more than these and spaces. */
const nameLeft = (filename: string): string => (filename.split('.', 1)[0] ?? '').replace(/[^a-zA-Z0-9]/g, '').toLowerCase()

/** The names that the package gives those that have none. */
const NUMBERED = /^document\d*$/

/**
 * The same conversation, in which no two files have one name: Bedrock refuses that, and a file that is shown again, or in another
 * form, has the one that it had. From the second on they have none, and get a number.
 */
export function namedApart(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const seen = new Set<string>()
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'user') return message
    const content = message.content.map((part) => {
      if (part.type !== 'file' || part.filename === undefined) return part
      const name = nameLeft(part.filename)
      const { filename: _, ...nameless } = part
      if (seen.has(name) || NUMBERED.test(name)) return nameless
      seen.add(name)
      return part
    })
    return { ...message, content }
  })
}
