/** Several sequences as one, in the order in which their items come. Each is asked for one item ahead. */
export async function* merged<T>(sources: readonly AsyncIterator<T>[]): AsyncGenerator<T> {
  const ask = (source: AsyncIterator<T>) => {
    const asked = source.next().then((result) => ({ source, result }))
    // It may fail while nobody waits for the next item: whoever asks for that will hear of it, if anybody does.
    asked.catch(() => undefined)
    return asked
  }
  const pending = new Map(sources.map((source) => [source, ask(source)]))
  // Those that are still waited for when it is left end by their call's signal.
  while (pending.size > 0) {
    const { source, result } = await Promise.race(pending.values())
    if (result.done) {
      pending.delete(source)
      continue
    }
    pending.set(source, ask(source))
    yield result.value
  }
}
