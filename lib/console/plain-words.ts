import type { z } from 'zod'

/** What people are told of a value that does not fit, where its contract has no words of its own for it. */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'This is missing.'
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return issue.minimum === 1 ? 'Fill this in.' : `Write at least ${issue.minimum} characters.`
    if (issue.origin === 'number') return `Use ${issue.minimum} or more.`
    if (issue.origin === 'array') return `Name at least ${issue.minimum}.`
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `Write at most ${issue.maximum} characters.`
    if (issue.origin === 'number') return `Use ${issue.maximum} or less.`
    if (issue.origin === 'array') return `Name at most ${issue.maximum}.`
  }
  return undefined
}
