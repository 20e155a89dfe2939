import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { VENDOR_KINDS, vendorKind } from './vendor-kind-list.ts'
import { baseUrlVariable, parseConnectionSettings, parseSecrets, type VendorKind } from './vendor-kinds.ts'

const kind = (id: string): VendorKind => vendorKind(id) as VendorKind

describe('every kind', () => {
  test.each(VENDOR_KINDS.map((one) => [one.id, one] as const))('%s', (id, one) => {
    expect(id).toMatch(/^[a-z][a-z-]*$/)
    expect(VENDOR_KINDS.filter((other) => other.id === id)).toHaveLength(1)
    expect(one.modalities.length).toBeGreaterThan(0)
    const names = one.fields.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    // Every part of its address has a field to enter it.
    for (const [, name] of (one.baseUrl ?? '').matchAll(/\{(\w+)\}/g)) expect(names).toContain(name)
    for (const { name, pattern, placeholder } of one.fields)
      if (pattern && placeholder) expect(pattern.test(placeholder), `${name}: ${placeholder}`).toBe(true)
  })

  test('has a label and a help for each of its fields', () => {
    const path = new URL('../../components/messages/en.json', import.meta.url)
    const { vendorFields } = JSON.parse(readFileSync(path, 'utf8'))
    const names = new Set(VENDOR_KINDS.flatMap(({ fields }) => fields.map(({ name }) => name)))
    expect(new Set(Object.keys(vendorFields))).toEqual(new Set([...names, 'errors']))
    for (const name of names) expect(vendorFields[name]).toEqual({ label: expect.any(String), help: expect.any(String) })
  })

  test('that everybody reaches at one address is connected by a variable of its own', () => {
    const named = VENDOR_KINDS.flatMap(({ env }) => env ?? [])
    expect(new Set(named).size).toBe(named.length)
    for (const name of named) expect(name).toMatch(/^[A-Z]+_(API_KEY|API_TOKEN|KEY)$/)
    expect(['MISTRAL_API_KEY', 'REPLICATE_API_TOKEN', 'FAL_KEY'].map(baseUrlVariable)).toEqual([
      'MISTRAL_BASE_URL',
      'REPLICATE_BASE_URL',
      'FAL_BASE_URL',
    ])
  })

  test('is found by its id alone', () => {
    expect(vendorKind('constructor')).toBeNull()
    expect(vendorKind('OpenAI')).toBeNull()
  })
})

describe('what was entered becomes settings', () => {
  const settings = (id: string, entered: Record<string, string>) => parseConnectionSettings(kind(id), entered)
  const address = 'https://api.mistral.ai/v1'

  test.each([
    ['mistral', { apiKey: ' k1 ', baseUrl: '' }, { baseUrl: address, secret: 'k1' }],
    ['mistral', { apiKey: 'k1', baseUrl: 'http://proxy:9/x' }, { baseUrl: 'http://proxy:9/x', secret: 'k1' }],
    ['azure', { resource: 'mine', apiKey: 'k' }, { baseUrl: 'https://mine.openai.azure.com/openai/v1', secret: 'k' }],
    ['ollama', {}, { baseUrl: 'http://localhost:11434/v1', secret: null }],
    ['sandbox', {}, { baseUrl: null, secret: null }],
    [
      'amazon-bedrock',
      { region: 'eu-west-1', accessKeyId: 'A', secretAccessKey: 'S' },
      { baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com', secret: '{"accessKeyId":"A","secretAccessKey":"S"}' },
    ],
    [
      'google-vertex',
      { project: 'proj-1', serviceAccount: '{"a":1}' },
      {
        baseUrl: 'https://aiplatform.googleapis.com/v1/projects/proj-1/locations/global/publishers/google',
        secret: '{"a":1}',
      },
    ],
  ])('%s %j', (id, entered, expected) => {
    expect(settings(id, entered)).toEqual({ settings: expected })
  })

  test.each([
    ['mistral', {}, [{ field: 'apiKey', problem: 'missing' }]],
    ['mistral', { apiKey: '  ' }, [{ field: 'apiKey', problem: 'missing' }]],
    ['mistral', { apiKey: 'k', region: 'x' }, [{ field: 'region', problem: 'unknown' }]],
    ['mistral', { apiKey: 'k', baseUrl: 'api.mistral.ai' }, [{ field: 'baseUrl', problem: 'malformed' }]],
    ['mistral', { apiKey: 'k', baseUrl: 'file:///etc/passwd' }, [{ field: 'baseUrl', problem: 'malformed' }]],
    ['azure', { resource: 'evil.example/', apiKey: 'k' }, [{ field: 'resource', problem: 'malformed' }]],
    ['amazon-bedrock', { region: 'us-east-1', accessKeyId: 'A' }, [{ field: 'apiKey', problem: 'missing' }]],
    ['amazon-bedrock', { region: 'x.evil.example/', apiKey: 'k' }, [{ field: 'region', problem: 'malformed' }]],
    ['openai-compatible', {}, [{ field: 'baseUrl', problem: 'missing' }]],
  ])('%s refuses %j', (id, entered, problems) => {
    expect(settings(id, entered)).toEqual({ problems })
  })
})

it('reads secrets again, whether there was one or several', () => {
  expect(parseSecrets(null)).toEqual({})
  expect(parseSecrets('k')).toEqual({ apiKey: 'k' })
  expect(parseSecrets('{"accessKeyId":"A","secretAccessKey":"S"}')).toEqual({ accessKeyId: 'A', secretAccessKey: 'S' })
  expect(parseSecrets('{not json')).toEqual({ apiKey: '{not json' })
})
