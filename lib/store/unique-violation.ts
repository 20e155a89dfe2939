const UNIQUE_VIOLATION = '23505'

/** Whether the database refused a row because a unique index already has its key (PostgreSQL manual, appendix A). */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION
