import type { z } from 'zod'
import type { Message } from '../messages/said.ts'

const ANYTHING: Message = 'This cannot be used.'
const NO_FORM: Message = 'This is in none of the forms that are taken here.'
const ONE_OF: Message = 'Use one of these: {options}.'

const OF_TYPES: Readonly<Record<string, Message>> = {
  string: 'Give this as text.',
  number: 'Give a number.',
  int: 'Give a whole number.',
  boolean: 'Give true or false.',
  array: 'Give a list.',
  object: 'Give an object with named fields.',
  record: 'Give an object with named fields.',
}

const OF_FORMATS: Readonly<Record<string, Message>> = {
  email: 'Invalid email address',
  url: 'Write a whole address, such as https://example.com.',
  uuid: 'This is not an id.',
  date: 'Write a day such as 2026-01-31.',
  datetime: 'Write a time such as 2026-01-31T12:00:00Z.',
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): Message {
  if (origin === 'string') return minimum === 1 ? 'Fill this in.' : 'Write at least {minimum} characters.'
  if (origin === 'array') return 'Name at least {minimum}.'
  return inclusive === false ? 'Use more than {minimum}.' : 'Use {minimum} or more.'
}

function tooBig({ origin, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): Message {
  if (origin === 'string') return 'Write at most {maximum} characters.'
  if (origin === 'array') return 'Name at most {maximum}.'
  return inclusive === false ? 'Use less than {maximum}.' : 'Use {maximum} or less.'
}

/**
 * What people are told of a value that does not fit, where its contract has no words of its own for it. What stands in braces
 * is filled in by saidIssue().
 */
export function plainWords(issue: z.core.$ZodRawIssue): Message {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'This is missing.' : (OF_TYPES[issue.expected] ?? ANYTHING)
    case 'invalid_value':
      return issue.input === undefined ? 'This is missing.' : ONE_OF
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_format':
      return OF_FORMATS[issue.format] ?? NO_FORM
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? ONE_OF : NO_FORM
    case 'unrecognized_keys':
      return 'There is no such field here.'
    case 'invalid_key':
      return 'This is not a name that is taken here.'
    default:
      return ANYTHING
  }
}
