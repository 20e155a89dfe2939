import type { Exchange } from './chat-types.ts'
import type { Figures } from './figures.ts'

/**
 * Completes the figures of the answers whose cost is not known yet, because the page was left before it was, and reports each.
 */
export async function completeMissing(
  exchanges: readonly Exchange[],
  complete: (figures: Figures) => Promise<Figures>,
  onFigures: (answerId: string, figures: Figures) => void,
): Promise<void> {
  const answers = exchanges.flatMap(({ lanes }) => lanes.flat())
  const missing = answers.filter(({ figures }) => figures.requestId !== null && figures.costNano === null)
  await Promise.all(missing.map(async ({ id, figures }) => onFigures(id, await complete(figures))))
}
