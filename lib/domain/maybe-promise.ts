/** A value that may be known already or has to be asked for. A known value needs no promise, which matters on every request. */
export type MaybePromise<T> = T | Promise<T>
