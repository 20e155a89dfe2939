/**
 * Processes the items, `atOnce` at a time, and returns the results in their order. Rejects with the first failure; the rest
 * goes on.
 */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => PromiseLike<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const takeTurns = async () => {
    for (const [at, item] of left) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  return results
}
