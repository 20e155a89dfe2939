import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** Bedrock's package keeps only letters, digits and spaces of the part before the first dot. Compared without spaces and case. */
const normalizeName = (filename: string): string => (filename.split('.', 1)[0] ?? '').replace(/[^a-zA-Z0-9]/g, '').toLowerCase()

/** The names that the package gives to files without a name. */
const NUMBERED = /^document\d*$/

/**
 * The same conversation with unique file names. Bedrock refuses duplicates, and a file that is sent again, or in another format,
 * has the same name. From the second one on, the name is dropped, and the package gives the file a number.
 */
export function withUniqueFileNames(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const seen = new Set<string>()
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'user') return message
    const content = message.content.map((part) => {
      if (part.type !== 'file' || part.filename === undefined) return part
      const name = normalizeName(part.filename)
      const { filename: _, ...nameless } = part
      if (seen.has(name) || NUMBERED.test(name)) return nameless
      seen.add(name)
      return part
    })
    return { ...message, content }
  })
}
