/** What may be known at once, or has to be asked for. On the way of every request, what is known makes no promise. */
export type Soon<T> = T | Promise<T>
