/**
 * Processes the items, `concurrency` at a time, and returns the results in their order. Rejects with the first failure; the rest
 * goes on.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => PromiseLike<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const runWorker = async () => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, runWorker))
  return results
}
