export const PERIODS = ['1', '7', '30', '90']

/** The days that an address names, else thirty. */
export const periodOf = (named: string | null): string => (named !== null && PERIODS.includes(named) ? named : '30')
