/** Several facts on one line, without those that are missing. The dot between two stays at the end of its line if the line wraps. */
export const joinFacts = (facts: readonly (string | null)[]): string => facts.filter(Boolean).join('\u00a0· ')
