import type { z } from 'zod'
import type { Message } from '../messages/said.ts'

/**
 * What people are told of a value that does not fit, where its contract has no words of its own for it. What stands in braces
 * is filled in by saidIssue().
 */
export function plainWords(issue: z.core.$ZodRawIssue): Message | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'This is missing.'
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return issue.minimum === 1 ? 'Fill this in.' : 'Write at least {minimum} characters.'
    if (issue.origin === 'number') return 'Use {minimum} or more.'
    if (issue.origin === 'array') return 'Name at least {minimum}.'
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return 'Write at most {maximum} characters.'
    if (issue.origin === 'number') return 'Use {maximum} or less.'
    if (issue.origin === 'array') return 'Name at most {maximum}.'
  }
  return issue.code === 'invalid_format' && issue.format === 'email' ? 'Invalid email address' : undefined
}
