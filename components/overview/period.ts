export const PERIODS = ['1', '7', '30', '90']

/** The number of days that the address names, 30 by default. */
export const periodOf = (named: string | null): string => (named !== null && PERIODS.includes(named) ? named : '30')
