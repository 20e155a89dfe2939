import { MODALITIES, type OperatorModelRow } from '#lib/contracts/operator'
import { withoutGroups } from '../../read-amount.ts'

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
  enabled: true,
}

export const modelFormOf = (row: OperatorModelRow): ModelForm => ({
  ownedBy: row.ownedBy,
  modality: row.modality,
  contextWindow: String(row.contextWindow),
  maxOutput: String(row.maxOutput),
  imageTokens: String(row.imageTokens),
  capabilities: row.capabilities.join(', '),
  facts: Object.keys(row.facts).length === 0 ? '' : JSON.stringify(row.facts, null, 2),
  enabled: row.enabled,
})

export type ModelFault = 'whole' | 'json'

/** The number fields of the form, by their API names. */
export const NUMBER_FIELDS = ['contextWindow', 'maxOutput', 'imageTokens'] as const

function readFacts(text: string): object | null {
  if (text.trim() === '') return {}
  try {
    const facts: unknown = JSON.parse(text)
    return typeof facts === 'object' && facts !== null && !Array.isArray(facts) ? facts : null
  } catch {
    return null
  }
}

type Read = { values: Record<string, unknown>; faults: null } | { values: null; faults: Record<string, ModelFault> }

/** The API values of the fields, or the invalid fields. */
export function readModelForm(form: ModelForm): Read {
  const faults: Record<string, ModelFault> = {}
  const numbers = NUMBER_FIELDS.map((name): [string, number] => {
    const bare = withoutGroups(form[name].replaceAll(/\s/g, ''))
    if (!/^\d{1,10}$/.test(bare)) faults[name] = 'whole'
    return [name, Number(bare)]
  })
  const facts = readFacts(form.facts)
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
  return Object.keys(faults).length > 0 ? { values: null, faults } : { values, faults: null }
}
