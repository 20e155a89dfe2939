/** What somebody typed, as a part of a LIKE pattern that means just that. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
