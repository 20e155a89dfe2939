import { expect, test } from 'vitest'
import { formatExact } from '../../domain/exact-decimal.ts'
import { parseLayout } from './export-layouts.ts'
import { readExport } from './read-export.ts'

/** Lines as text, for comparison. */
const read = (text: string, columns?: string) => {
  const { layout, lines } = readExport('export', text, columns === undefined ? null : parseLayout(columns))
  const shown = lines.map(({ day, model, amounts }) => ({
    day,
    model,
    ...Object.fromEntries(Object.entries(amounts).map(([measure, amount]) => [measure, formatExact(amount)])),
  }))
  return { layout: layout.name, lines: shown }
}

const bucket = (start: object, ...results: object[]) => ({ object: 'bucket', ...start, results })

test('OpenAI: usage in JSON buckets, with all models of a day and days without any', () => {
  const result = { object: 'organization.usage.completions.result', project_id: null, batch: null }
  const text = JSON.stringify({
    object: 'page',
    data: [
      bucket(
        { start_time: 1_790_553_600, end_time: 1_790_640_000 },
        {
          ...result,
          input_tokens: 1000,
          output_tokens: 500,
          input_cached_tokens: 800,
          num_model_requests: 5,
          model: 'gpt-4o-mini-2024-07-18',
        },
        { ...result, input_tokens: 7, output_tokens: 3, input_cached_tokens: 0, num_model_requests: 1, model: 'gpt-4o' },
      ),
      bucket({ start_time: 1_790_640_000, end_time: 1_790_726_400 }),
    ],
    has_more: false,
    next_page: null,
  })
  expect(read(text)).toEqual({
    layout: 'OpenAI usage, JSON or CSV',
    lines: [
      { day: '2026-09-28', model: 'gpt-4o-mini-2024-07-18', requests: '5', input: '1000', cached: '800', output: '500' },
      { day: '2026-09-28', model: 'gpt-4o', requests: '1', input: '7', cached: '0', output: '3' },
    ],
  })
})

test('OpenAI: costs in JSON keep every digit of a number that a float would change, by line item or by day', () => {
  const line = (amount: string, item: string) =>
    `{"object":"organization.costs.result","amount":{"value":${amount},"currency":"usd"},"line_item":${item},"project_id":null}`
  const text = `[{"object":"page","data":[{"object":"bucket","start_time":1790553600,"end_time":1790640000,"results":[${line(
    '0.0038349999999999999',
    '"gpt-4o-2024-08-06, cached input"',
  )},${line('1e-7', 'null')}]}],"has_more":true},{"object":"page","data":[],"has_more":false}]`
  expect(read(text)).toEqual({
    layout: 'OpenAI costs, JSON',
    lines: [
      { day: '2026-09-28', model: 'gpt-4o-2024-08-06', cost: '0.0038349999999999999' },
      { day: '2026-09-28', model: null, cost: '0.0000001' },
    ],
  })
})

test('OpenAI: CSV of costs and of usage, with the empty lines of days on which nothing was used', () => {
  const costs = [
    'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id',
    '1790467200,1790553600,2026-09-27T00:00:00+00:00,2026-09-28T00:00:00+00:00,,,,',
    '1790553600,1790640000,2026-09-28T00:00:00+00:00,2026-09-29T00:00:00+00:00,0.00383,usd,"gpt-4o-2024-08-06, output",proj_a',
  ].join('\r\n')
  expect(read(costs).lines).toEqual([{ day: '2026-09-28', model: 'gpt-4o-2024-08-06', cost: '0.00383' }])
  const usage =
    'start_time,end_time,num_model_requests,input_tokens,input_cached_tokens,output_tokens,model\n1790553600,1790640000,2,10,4,5,gpt-4o\n'
  expect(read(usage).lines).toEqual([
    { day: '2026-09-28', model: 'gpt-4o', requests: '2', input: '10', cached: '4', output: '5' },
  ])
})

test('Anthropic: reports in JSON, whose costs are cents, and whose input is in four parts', () => {
  const usage = {
    uncached_input_tokens: 1500,
    cache_creation: { ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 500 },
    cache_read_input_tokens: 200,
    output_tokens: 500,
    server_tool_use: { web_search_requests: 10 },
    model: 'claude-haiku-4-5',
  }
  const day = { starting_at: '2026-11-20T00:00:00Z', ending_at: '2026-11-21T00:00:00Z' }
  const page = (result: object) => JSON.stringify({ data: [{ ...day, results: [result] }], has_more: false, next_page: null })
  expect(read(page(usage))).toEqual({
    layout: 'Anthropic usage report, JSON',
    lines: [{ day: '2026-11-20', model: 'claude-haiku-4-5', input: '3200', cached: '200', output: '500' }],
  })
  expect(read(page({ currency: 'USD', amount: '123.78912', cost_type: 'tokens', model: 'claude-haiku-4-5' })).lines).toEqual([
    { day: '2026-11-20', model: 'claude-haiku-4-5', cost: '1.2378912' },
  ])
})

test('Anthropic: CSV of tokens and of costs, as the console exports them', () => {
  const tokens =
    'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count\n' +
    '2026-11-20,claude-opus-5,key,"A, B",standard,≤ 200k,46981,15969,0,10,16932,0\n'
  expect(read(tokens).lines).toEqual([
    { day: '2026-11-20', model: 'claude-opus-5', input: '62960', cached: '10', output: '16932' },
  ])
  const costs =
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type\n' +
    '2026-11-20,Claude Haiku 4.5,Default,key,message,≤ 200k,output,0.02,0.02,token\n'
  const { lines } = readExport('export', costs, null)
  expect(lines.map(({ model, slack }) => [model, formatExact(slack)])).toEqual([['Claude Haiku 4.5', '0.005']])
})

test('OpenRouter: activity by request, by day, and in JSON', () => {
  const requests =
    'generation_id,created_at,cost_total,cost_cache,tokens_prompt,tokens_completion,tokens_reasoning,model_permaslug,provider_name\n' +
    'gen-1,2026-11-20 23:59:59.271,0.012,-0.001,100,200,20,deepseek/deepseek-v4.1-flash-20260910,DeepSeek\n'
  expect(read(requests).lines).toEqual([
    {
      day: '2026-11-20',
      model: 'deepseek/deepseek-v4.1-flash-20260910',
      requests: '1',
      input: '100',
      output: '200',
      cost: '0.012',
    },
  ])
  const days =
    'Date,Slug,Usage,BYOK Usage,Requests,Prompt Tokens,Completion Tokens,Reasoning Tokens\n' +
    '"2026-11-20 00:00:00","anthropic/claude-opus-5","430.07","0","4115","70965665","3009973","0"\n'
  const line = {
    day: '2026-11-20',
    model: 'anthropic/claude-opus-5',
    requests: '4115',
    input: '70965665',
    output: '3009973',
    cost: '430.07',
  }
  expect(read(days).lines).toEqual([line])
  const json = `{"data":[{"date":"2026-11-20","model":"anthropic/claude-opus-5","usage":430.07,"requests":4115,"prompt_tokens":70965665,"completion_tokens":3009973,"reasoning_tokens":0}]}`
  expect(read(json)).toEqual({ layout: 'OpenRouter activity, JSON', lines: [line] })
})

test('any other file by named columns, which may be sums, with a mark in front of its bytes and dollar signs', () => {
  const text = '\uFEFFWhen;x,Model,In,From cache,Out,Amount\n2026-11-20T01:00:00+02:00,m,10,2,3,$1.50\n'.replace('When;x', 'When')
  expect(read(text, 'day=When,model=Model,input=In+From cache,cached=From cache,output=Out,cost=Amount').lines).toEqual([
    { day: '2026-11-19', model: 'm', input: '12', cached: '2', output: '3', cost: '1.5' },
  ])
})

test.each([
  ['a,b\n1,2\n', /^export: this export has an unknown format\. It has a, b\./],
  ['', /^export: it is empty/],
  ['Date,Date\n', /^export:1: the column "Date" stands there twice/],
  ['start_time,amount_value,line_item\n1790553600,0.1,x\n1790553600,"0.1,x\n', /^export:[34]: .*[Qq]uote/],
  ['start_time,amount_value,line_item\n1790553600,0.1,x\n1790553600,0.1\n', /^export:3: /],
  ['start_time,amount_value,line_item\n\n1790553600,abc,x\n', /^export:3: amount_value: "abc" is not a number/],
  ['start_time,amount_value,line_item\nyesterday,1,x\n', /^export:2: start_time: "yesterday" is not a day/],
  ['usage_date_utc,model,cost_usd\n2026-02-30,m,1\n', /^export:2: usage_date_utc: "2026-02-30" is not a day/],
  [
    'start_time,num_model_requests,input_tokens,model\n1790553600,1.5,1,m\n',
    /^export:2: num_model_requests: "1.5" is not a count/,
  ],
  ['{"data":[\n  {"start_time": 1,\n   oops\n]}', /^export:3: this is not JSON/],
  ['{"pages":[]}', /^export: it contains no list/],
  ['{"data":[]}', /^export: it contains no usage/],
  ['{"data":[{"start_time":1790553600,"results":[]}],"has_more":true}', /^export: it is incomplete/],
  [
    '{"data":[{"start_time":1790553600,"results":[{"num_model_requests":-1,"input_tokens":1}]}]}',
    /^export: data\[0\]\.results\[0\]: num_model_requests: "-1" is not a count/,
  ],
])('a file that cannot be used is refused with its place: %j', (text, message) => {
  expect(() => readExport('export', text, null)).toThrow(message)
})

test.each([
  ['model=Model,cost=Cost', /day is missing/],
  ['day=Date', /at least one of/],
  ['day=Date,price=Cost', /"price" is none of/],
  ['day=Date,cost', /"cost" is not of the form/],
  ['day=Date,day=When,cost=Cost', /"day" is given twice/],
])('columns that cannot be used are refused: %s', (columns, message) => {
  expect(() => parseLayout(columns)).toThrow(message)
})

test('a column that is named and not there is told', () => {
  expect(() => readExport('export', 'Date,Cost\n2026-11-20,1\n', parseLayout('day=Date,cost=Amount'))).toThrow(
    'export: there is no column "Amount". It has Date, Cost.',
  )
})
