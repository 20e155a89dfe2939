import { recordedFigures } from '#lib/contracts/playground'
import { fetchJson } from '../fetch-json.ts'
import { asRecord, type Json } from '../history/json.ts'

/** The cost and duration of one call. Null means unknown, or not known yet. */
export interface Figures {
  /** The id of its record in the history. */
  requestId: string | null
  costNano: string | null
  inputTokens: number | null
  outputTokens: number | null
  /** Output tokens that are not in the answer: reasoning that the vendor counts but does not return. */
  hiddenTokens: number | null
  /** Milliseconds from sending to the first piece of the answer, and to its end. */
  firstMs: number | null
  totalMs: number | null
}

export const NO_FIGURES: Figures = {
  requestId: null,
  costNano: null,
  inputTokens: null,
  outputTokens: null,
  hiddenTokens: null,
  firstMs: null,
  totalMs: null,
}

/**
 * Converts the `cost` of a usage object to nano-dollars. It has at most nine decimals, so rounding restores the exact value as
 * long as the amount is below four million dollars.
 */
const nanoOf = (cost: number): string => BigInt(Math.round(cost * 1e9)).toString()

const asCount = (value: Json | undefined): number | null => (typeof value === 'number' && value >= 0 ? value : null)

/**
 * Adds what a `usage` object of any endpoint says about an answer without visible reasoning. Fields that it lacks stay
 * unchanged.
 */
export function withUsage(figures: Figures, usage: Json | undefined): Figures {
  const usageObject = asRecord(usage)
  if (usageObject === null) return figures
  const cost = asCount(usageObject.cost)
  const details = asRecord(usageObject.completion_tokens_details ?? usageObject.output_tokens_details)
  return {
    ...figures,
    costNano: cost === null ? figures.costNano : nanoOf(cost),
    inputTokens: asCount(usageObject.prompt_tokens ?? usageObject.input_tokens) ?? figures.inputTokens,
    outputTokens: asCount(usageObject.completion_tokens ?? usageObject.output_tokens) ?? figures.outputTokens,
    hiddenTokens: asCount(details?.reasoning_tokens) ?? figures.hiddenTokens,
  }
}

/** Output tokens per second, from the first to the last. Null if too little time or too few tokens lie between. */
export function tokensPerSecond({ outputTokens, hiddenTokens, firstMs, totalMs }: Figures): number | null {
  if (outputTokens === null || firstMs === null || totalMs === null) return null
  const visibleTokens = outputTokens - (hiddenTokens ?? 0)
  const seconds = (totalMs - firstMs) / 1000
  return visibleTokens >= 2 && seconds >= 0.02 ? visibleTokens / seconds : null
}

const MAX_TRIES = 9
const FIRST_PAUSE_MS = 150

/**
 * Completes the figures from the history, for a call whose response could not include its cost: a stopped one, or speech. The
 * record is written shortly after the end of the call, so this tries a few times, over more than a minute: a stopped call may run
 * on at its vendor until it is counted. Unknown figures stay unchanged.
 */
export async function completeFromHistory(figures: Figures): Promise<Figures> {
  if (figures.requestId === null) return figures
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
    const path = `/api/playground/figures?request=${encodeURIComponent(figures.requestId)}`
    const found = (await fetchJson(path, recordedFigures).catch(() => null))?.figures
    if (found)
      return {
        ...figures,
        costNano: found.chargedNano,
        inputTokens: figures.inputTokens ?? (found.inputUnits > 0 ? found.inputUnits : null),
        outputTokens: figures.outputTokens ?? (found.outputUnits > 0 ? found.outputUnits : null),
      }
  }
  return figures
}
