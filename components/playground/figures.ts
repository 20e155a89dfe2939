import { requestDetail } from '#lib/contracts/requests'
import { fetchJson } from '../fetch-json.ts'
import { type Json, record } from '../history/json.ts'

/** What one call cost and how long it took. Null is not known, or not known yet. */
export interface Figures {
  /** Under which it stands in the history. */
  requestId: string | null
  costNano: string | null
  inputTokens: number | null
  outputTokens: number | null
  /** Those of the output that never came: reasoning that a vendor counts and keeps to itself. */
  hiddenTokens: number | null
  /** From sending to the first piece of the answer, and to its end. Milliseconds. */
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
 * Nano-dollars out of the `cost` of a usage object. Its decimals are nine at most, so rounding gives back the very nano
 * that was written as long as the amount is below four million.
 */
const nanoOf = (cost: number): string => BigInt(Math.round(cost * 1e9)).toString()

const count = (value: Json | undefined): number | null => (typeof value === 'number' && value >= 0 ? value : null)

/** What a `usage` object says of an answer without visible reasoning, whichever endpoint it comes from. What it does not say stays as it was. */
export function withUsage(figures: Figures, usage: Json | undefined): Figures {
  const said = record(usage)
  if (said === null) return figures
  const cost = count(said.cost)
  const details = record(said.completion_tokens_details ?? said.output_tokens_details)
  return {
    ...figures,
    costNano: cost === null ? figures.costNano : nanoOf(cost),
    inputTokens: count(said.prompt_tokens ?? said.input_tokens) ?? figures.inputTokens,
    outputTokens: count(said.completion_tokens ?? said.output_tokens) ?? figures.outputTokens,
    hiddenTokens: count(details?.reasoning_tokens) ?? figures.hiddenTokens,
  }
}

/** Tokens of output a second, from the first that came to the last; null where that was no time at all. */
export function tokensPerSecond({ outputTokens, hiddenTokens, firstMs, totalMs }: Figures): number | null {
  if (outputTokens === null || firstMs === null || totalMs === null) return null
  const came = outputTokens - (hiddenTokens ?? 0)
  const seconds = (totalMs - firstMs) / 1000
  return came >= 2 && seconds >= 0.02 ? came / seconds : null
}

const TRIES = 6
const FIRST_PAUSE_MS = 150

/**
 * What the history says of a call whose answer could not tell its cost: one that was stopped, or a sound. It is written a
 * moment after the end, so it is asked for a few times. What it does not say stays as it was.
 */
export async function recordedFigures(figures: Figures): Promise<Figures> {
  if (figures.requestId === null) return figures
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
    const found = await fetchJson(`/api/requests/${encodeURIComponent(figures.requestId)}`, requestDetail).catch(() => null)
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
