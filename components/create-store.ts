import { useSyncExternalStore } from 'react'

/** A value outside of React that components can subscribe to. Each page starts with the first one, on the server too. */
export function createStore<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const read = () => value
  return {
    read,
    write(next: T): void {
      value = next
      for (const listener of listeners) listener()
    },
    /** Whether any component is subscribed. */
    isUsed: () => listeners.size > 0,
    use: (): T => useSyncExternalStore(listen, read, () => first),
  }
}
