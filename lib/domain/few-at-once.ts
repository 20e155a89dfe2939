/** Does the work on each item, so many at a time, and answers in the order of the items. The first failure rejects; what is under way goes on. */
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
