import type { z } from 'zod'
import type { Message, MessageDescriptor } from '../messages/message.ts'

/** The accepted values: the members of an enum, or the kinds of a union that one field discriminates. */
function optionsOf(issue: z.core.$ZodIssue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values
  return issue.code === 'invalid_union' && 'options' in issue ? (issue.options ?? []) : []
}

/** What a contract found wrong with a value, in its own words or those of describeZodIssue(), with what would be accepted. */
export function messageOfIssue(issue: z.core.$ZodIssue | undefined): MessageDescriptor {
  if (!issue) return { message: 'This value is invalid.', values: {} }
  // What is wrong with a name in a record is inside.
  const [inName] = issue.code === 'invalid_key' ? issue.issues : []
  if (inName) return messageOfIssue(inName)
  return {
    message: issue.message as Message,
    values: {
      minimum: issue.code === 'too_small' ? issue.minimum : '',
      maximum: issue.code === 'too_big' ? issue.maximum : '',
      options: optionsOf(issue).map(String).join(', '),
    },
  }
}

/** Where in the value the issue was found: names and indexes joined by periods, or empty for the whole value. */
export function pathOfIssue(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? []
  return [...path, ...(issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])].map(String).join('.')
}
