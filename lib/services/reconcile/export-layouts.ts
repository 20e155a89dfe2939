/** The figures that are compared. All except the cost are counts. `input` includes all input tokens, also cached ones. */
export const MEASURES = ['requests', 'input', 'cached', 'output', 'cost'] as const
export type Measure = (typeof MEASURES)[number]

/** The fields of an export. A measure with several fields is their sum; a measure that is null counts the records. */
export interface ExportLayout {
  /** The name shown to people. */
  name: string
  /** Every field that must be present to recognize this layout. Fields of nested objects are joined by dots. */
  needs: readonly string[]
  day: string
  /** Null if there is none: its figures are sums of a day. */
  model: string | null
  measures: { readonly [M in Measure]?: readonly string[] | null }
  /** The fraction of a dollar that its costs are counted in. */
  costUnit?: 'cent'
  /** Each cost is rounded to this many decimal places, so a sum may be off by half of the last place per record. */
  costPlaces?: number
  /** Matches the model's name within its field. */
  modelIn?: RegExp
}

const OPENAI_USAGE = {
  measures: {
    requests: ['num_model_requests'],
    input: ['input_tokens'],
    cached: ['input_cached_tokens'],
    output: ['output_tokens'],
  },
  model: 'model',
} as const
/** `gpt-4o-mini-2024-07-18, cached input` */
const BEFORE_COMMA = /^([^,]+)/

/**
 * Exports in the vendors' formats; the first match is used. As seen in November 2026 in the vendors' API references (OpenAI:
 * Usage; Anthropic: Usage and Cost API; OpenRouter: Get user activity) and in files published by people who read the consoles'
 * exports.
 */
export const LAYOUTS: readonly ExportLayout[] = [
  {
    name: 'OpenAI usage, JSON or CSV',
    needs: ['start_time', 'num_model_requests', 'input_tokens'],
    day: 'start_time',
    ...OPENAI_USAGE,
  },
  {
    name: 'OpenAI costs, JSON',
    needs: ['start_time', 'amount.value'],
    day: 'start_time',
    model: 'line_item',
    modelIn: BEFORE_COMMA,
    measures: { cost: ['amount.value'] },
  },
  {
    name: 'OpenAI costs, CSV',
    needs: ['start_time', 'amount_value', 'line_item'],
    day: 'start_time',
    model: 'line_item',
    modelIn: BEFORE_COMMA,
    measures: { cost: ['amount_value'] },
  },
  {
    name: 'Anthropic usage report, JSON',
    needs: ['starting_at', 'uncached_input_tokens', 'output_tokens'],
    day: 'starting_at',
    model: 'model',
    measures: {
      input: [
        'uncached_input_tokens',
        'cache_creation.ephemeral_5m_input_tokens',
        'cache_creation.ephemeral_1h_input_tokens',
        'cache_read_input_tokens',
      ],
      cached: ['cache_read_input_tokens'],
      output: ['output_tokens'],
    },
  },
  {
    name: 'Anthropic cost report, JSON',
    needs: ['starting_at', 'amount'],
    day: 'starting_at',
    model: 'model',
    measures: { cost: ['amount'] },
    costUnit: 'cent',
  },
  {
    name: 'Anthropic usage, CSV',
    needs: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
    day: 'usage_date_utc',
    model: 'model_version',
    measures: {
      input: [
        'usage_input_tokens_no_cache',
        'usage_input_tokens_cache_write_5m',
        'usage_input_tokens_cache_write_1h',
        'usage_input_tokens_cache_read',
      ],
      cached: ['usage_input_tokens_cache_read'],
      output: ['usage_output_tokens'],
    },
  },
  {
    name: 'Anthropic costs, CSV',
    needs: ['usage_date_utc', 'model', 'cost_usd'],
    day: 'usage_date_utc',
    model: 'model',
    measures: { cost: ['cost_usd'] },
    costPlaces: 2,
  },
  {
    name: 'OpenRouter activity by request, CSV',
    needs: ['created_at', 'model_permaslug', 'cost_total', 'tokens_prompt', 'tokens_completion'],
    day: 'created_at',
    model: 'model_permaslug',
    measures: { requests: null, input: ['tokens_prompt'], output: ['tokens_completion'], cost: ['cost_total'] },
  },
  {
    name: 'OpenRouter activity by day, CSV',
    needs: ['Date', 'Slug', 'Usage', 'Requests', 'Prompt Tokens', 'Completion Tokens'],
    day: 'Date',
    model: 'Slug',
    measures: { requests: ['Requests'], input: ['Prompt Tokens'], output: ['Completion Tokens'], cost: ['Usage'] },
  },
  {
    name: 'OpenRouter activity, JSON',
    needs: ['date', 'model', 'usage', 'requests', 'prompt_tokens', 'completion_tokens'],
    day: 'date',
    model: 'model',
    measures: { requests: ['requests'], input: ['prompt_tokens'], output: ['completion_tokens'], cost: ['usage'] },
  },
]

const ROLES = ['day', 'model', ...MEASURES]

/**
 * Parses a layout as users write it: `day=Date,model=Model,input=Prompt+Cached,cost=Amount`. Only `day` and one measure are
 * required. Throws an Error that says what is wrong.
 */
export function parseLayout(columns: string): ExportLayout {
  const fieldByRole = new Map<string, string>()
  for (const part of columns.split(',')) {
    const at = part.indexOf('=')
    const [role, field] = [part.slice(0, at).trim(), part.slice(at + 1).trim()]
    if (at < 1 || field === '') throw new Error(`--columns: "${part}" is not of the form ROLE=COLUMN.`)
    if (!ROLES.includes(role)) throw new Error(`--columns: "${role}" is none of ${ROLES.join(', ')}.`)
    if (fieldByRole.has(role)) throw new Error(`--columns: "${role}" is given twice.`)
    fieldByRole.set(role, field)
  }
  const day = fieldByRole.get('day')
  const measures = MEASURES.flatMap((measure): [Measure, string[]][] => {
    const field = fieldByRole.get(measure)
    return field === undefined ? [] : [[measure, field.split('+').map((name) => name.trim())]]
  })
  if (day === undefined) throw new Error('--columns: the column of the day is missing: day=COLUMN.')
  if (measures.length === 0) throw new Error(`--columns: at least one of ${MEASURES.join(', ')} is needed.`)
  const model = fieldByRole.get('model') ?? null
  return {
    name: 'the columns that were named',
    needs: [day, ...(model === null ? [] : [model]), ...measures.flatMap(([, fields]) => fields)],
    day,
    model,
    measures: Object.fromEntries(measures),
  }
}
