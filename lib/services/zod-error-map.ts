import type { z } from 'zod'
import type { Message } from '../messages/message.ts'

const INVALID_VALUE: Message = 'This value is invalid.'
const INVALID_FORMAT: Message = 'This does not match any accepted format.'
const ONE_OF: Message = 'Use one of these: {options}.'

const TYPE_MESSAGES: Readonly<Record<string, Message>> = {
  string: 'This must be text.',
  number: 'This must be a number.',
  int: 'This must be a whole number.',
  boolean: 'This must be true or false.',
  array: 'This must be a list.',
  object: 'This must be an object with named fields.',
  record: 'This must be an object with named fields.',
}

const FORMAT_MESSAGES: Readonly<Record<string, Message>> = {
  email: 'Enter a valid email address, such as name@example.com.',
  url: 'Enter a full address, such as https://example.com.',
  uuid: 'This is not a valid id.',
  date: 'Enter a date such as 2026-01-31.',
  datetime: 'Enter a time such as 2026-01-31T12:00:00Z.',
}

function describeTooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): Message {
  if (origin === 'string') return minimum === 1 ? 'Fill this in.' : 'Enter at least {minimum} characters.'
  if (origin === 'array') return 'List at least {minimum}.'
  return inclusive === false ? 'Use a value above {minimum}.' : 'Use {minimum} or more.'
}

function describeTooBig({ origin, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): Message {
  if (origin === 'string') return 'Enter at most {maximum} characters.'
  if (origin === 'array') return 'List at most {maximum}.'
  return inclusive === false ? 'Use a value below {maximum}.' : 'Use {maximum} or less.'
}

/**
 * Returns the message for a value that does not fit, if its contract has no message of its own. messageOfIssue() fills in the
 * placeholders in braces.
 */
export function describeZodIssue(issue: z.core.$ZodRawIssue): Message {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'This is missing.' : (TYPE_MESSAGES[issue.expected] ?? INVALID_VALUE)
    case 'invalid_value':
      return issue.input === undefined ? 'This is missing.' : ONE_OF
    case 'too_small':
      return describeTooSmall(issue)
    case 'too_big':
      return describeTooBig(issue)
    case 'invalid_format':
      return FORMAT_MESSAGES[issue.format] ?? INVALID_FORMAT
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? ONE_OF : INVALID_FORMAT
    case 'unrecognized_keys':
      return 'There is no such field.'
    default:
      return INVALID_VALUE
  }
}
