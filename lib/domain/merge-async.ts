/** Merges several sequences into one, in the order in which their items arrive. Each is read one item ahead. */
export async function* mergeAsync<T>(sources: readonly AsyncIterator<T>[]): AsyncGenerator<T> {
  const pull = (source: AsyncIterator<T>) => {
    const asked = source.next().then((result) => ({ source, result }))
    // It may fail while nobody waits for the next item. Whoever asks for that item gets the error, if anybody does.
    asked.catch(() => undefined)
    return asked
  }
  const pending = new Map(sources.map((source) => [source, pull(source)]))
  // If the consumer stops early, sources that are still pending end by their call's signal.
  while (pending.size > 0) {
    const { source, result } = await Promise.race(pending.values())
    if (result.done) {
      pending.delete(source)
      continue
    }
    pending.set(source, pull(source))
    yield result.value
  }
}
