/** The members of a list that never changes its order, each with its place, which then is its React key. */
export const placed = <T>(list: readonly T[]): { place: number; value: T }[] => list.map((value, place) => ({ place, value }))
