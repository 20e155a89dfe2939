import { z } from 'zod'
import { MODALITIES, modelFields, modelId, type OperatorModelRow, ratesInput } from '#lib/contracts/operator'
import type { ModelSize } from '#lib/domain/catalog'
import { isPlainObject } from '#lib/domain/is-plain-object'
import { withoutGroups } from '../../read-amount.ts'
import { contractFaults } from '../contract-faults.ts'
import { type RateFault, type RateLine, readRates } from './rates.ts'

/** The fields of a model's form, as typed. */
export interface ModelForm {
  ownedBy: string
  modality: string
  contextWindow: string
  maxOutput: string
  imageTokens: string
  capabilities: string
  /** The properties of non-chat models, as JSON. */
  facts: string
  /** The sizes that nobody has stated. */
  assumed: readonly ModelSize[]
  /** Whether the operator states them as they are. */
  statesSizes: boolean
  enabled: boolean
}

export const newModelForm: ModelForm = {
  ownedBy: '',
  modality: 'chat',
  contextWindow: '131072',
  maxOutput: '32768',
  imageTokens: '16384',
  capabilities: '',
  facts: '',
  assumed: [],
  statesSizes: false,
  enabled: true,
}

const factsText = (facts: object): string => (Object.keys(facts).length === 0 ? '' : JSON.stringify(facts, null, 2))

export const modelFormOf = ({ facts: { assumed = [], ...facts }, ...row }: OperatorModelRow): ModelForm => ({
  ownedBy: row.ownedBy,
  modality: row.modality,
  contextWindow: String(row.contextWindow),
  maxOutput: String(row.maxOutput),
  imageTokens: String(row.imageTokens),
  capabilities: row.capabilities.join(', '),
  facts: factsText(facts),
  assumed,
  statesSizes: false,
  enabled: row.enabled,
})

export type ModelFault = 'whole' | 'json' | 'label' | 'tokens' | 'imageTokens' | 'capabilities' | 'facts'

const FAULT_BY_FIELD = {
  ownedBy: 'label',
  contextWindow: 'tokens',
  maxOutput: 'tokens',
  imageTokens: 'imageTokens',
  capabilities: 'capabilities',
} as const
const fieldsContract = z.object(modelFields)
const factsContract = fieldsContract.pick({ facts: true })

/** The number fields of the form, by their API names. */
export const NUMBER_FIELDS = ['contextWindow', 'maxOutput', 'imageTokens'] as const

function readFacts(text: string): object | null {
  if (text.trim() === '') return {}
  try {
    const facts: unknown = JSON.parse(text)
    return isPlainObject(facts) ? facts : null
  } catch {
    return null
  }
}

type Read<Fault> = { values: Record<string, unknown>; faults: null } | { values: null; faults: Record<string, Fault> }

/** Sizes stay assumed until somebody states them. The server knows which ones were changed, and that states them too. */
const withAssumed = (facts: object | null, { assumed, statesSizes }: ModelForm): object | null =>
  facts === null || statesSizes || assumed.length === 0 ? facts : { ...facts, assumed: [...assumed] }

/** The values of the fields as they can be read, and those that cannot. */
function readFields(form: ModelForm): { values: Record<string, unknown>; faults: Record<string, ModelFault> } {
  const faults: Record<string, ModelFault> = {}
  const numbers = NUMBER_FIELDS.map((name): [string, number] => {
    const bare = withoutGroups(form[name].replaceAll(/\s/g, ''))
    if (!/^\d{1,10}$/.test(bare)) faults[name] = 'whole'
    return [name, Number(bare)]
  })
  const facts = withAssumed(readFacts(form.facts), form)
  if (facts === null) faults.facts = 'json'
  const capabilities = form.capabilities.split(/[,\s]+/).filter((name) => name !== '')
  const values = {
    ...Object.fromEntries(numbers),
    ownedBy: form.ownedBy.trim(),
    modality: MODALITIES.find((name) => name === form.modality) ?? 'chat',
    capabilities,
    facts,
    enabled: form.enabled,
  }
  return { values, faults: { ...contractFaults(fieldsContract, values, FAULT_BY_FIELD), ...faults } }
}

/**
 * The server says exactly what is wrong within the facts, but only if it is asked. So this is not a fault by itself: it only
 * joins the others, for which the server is not asked.
 */
const withFactsFault = <Fault extends string>(
  faults: Record<string, Fault>,
  values: Record<string, unknown>,
): Record<string, Fault | ModelFault> => ({ ...contractFaults(factsContract, values, { facts: 'facts' as const }), ...faults })

/** The API values of the fields, or all invalid fields. */
export function readModelForm(form: ModelForm): Read<ModelFault> {
  const { values, faults } = readFields(form)
  return Object.keys(faults).length > 0 ? { values: null, faults: withFactsFault(faults, values) } : { values, faults: null }
}

type NewModelFault = ModelFault | RateFault | 'modelId' | 'noPrice'

/** The API values of a new model, or all invalid fields. Those of the price are named as in the API: `rates.input`. */
export function readNewModel(typedId: string, form: ModelForm, lines: readonly RateLine[]): Read<NewModelFault> {
  const id = typedId.trim()
  const fields = readFields(form)
  const price = readRates(lines)
  const faults: Record<string, NewModelFault> = {
    ...contractFaults(z.object({ id: modelId }), { id }, { id: 'modelId' as const }),
    ...fields.faults,
    ...(price.faults
      ? Object.fromEntries(Object.entries(price.faults).map(([unit, fault]) => [`rates.${unit}`, fault]))
      : contractFaults(z.object({ rates: ratesInput }), price, { rates: 'noPrice' as const })),
  }
  if (Object.keys(faults).length > 0) return { values: null, faults: withFactsFault(faults, fields.values) }
  return { values: { ...fields.values, id, rates: price.rates }, faults: null }
}
