import type { z } from 'zod'
import type { Message, Said, Value } from '../messages/said.ts'

/**
 * What a contract found wrong with a value, in its own words or in those of plainWords() in lib/console, with the bound that was
 * not kept. Where neither has words, they are the library's, which no other language has.
 */
export function saidIssue(issue: z.core.$ZodIssue | undefined): Said {
  const bounds = issue as { minimum?: Value; maximum?: Value } | undefined
  const message = (issue?.message ?? 'This cannot be used.') as Message
  return { message, values: { minimum: bounds?.minimum ?? '', maximum: bounds?.maximum ?? '' } }
}
