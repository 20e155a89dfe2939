/** The items of a list whose order never changes, each with its index, which is then its React key. */
export const enumerate = <T>(list: readonly T[]): { place: number; value: T }[] => list.map((value, place) => ({ place, value }))
