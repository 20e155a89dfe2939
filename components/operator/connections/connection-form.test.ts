import { describe, expect, it } from 'vitest'
import {
  type ConnectionForm,
  filledCredentials,
  findCredentialProblems,
  newConnectionForm,
  readConnectionForm,
  readHeaders,
} from './connection-form.ts'

const form = (changes: Partial<ConnectionForm>): ConnectionForm => ({ ...newConnectionForm('openai'), ...changes })

describe('readConnectionForm', () => {
  it('reads seconds as milliseconds, and nothing as no limit', () => {
    const { values } = readConnectionForm(form({ connectTimeoutS: '2.5', name: ' main ' }))
    expect(values).toMatchObject({
      name: 'main',
      connectTimeoutMs: 2500,
      headersTimeoutMs: 120_000,
      concurrency: null,
      headers: {},
    })
    expect(values).toMatchObject({ baseUrl: 'https://api.openai.com/v1' })
    expect(readConnectionForm(form({ concurrency: ' 1,000' })).values).toMatchObject({ concurrency: 1000 })
  })
  it('names every field at fault', () => {
    const faults = { connectTimeoutMs: 'seconds', concurrency: 'whole', headers: 'header' }
    expect(readConnectionForm(form({ connectTimeoutS: 'soon', concurrency: '0', headers: 'two words' })).faults).toEqual(faults)
  })
  it.each([
    ['0.1', 100],
    ['3600', 3_600_000],
  ])('takes %s seconds', (idleTimeoutS, idleTimeoutMs) => {
    expect(readConnectionForm(form({ idleTimeoutS })).values).toMatchObject({ idleTimeoutMs })
  })
  it.each(['0', '3601', '0.05', '-1', '1,5'])('refuses %s seconds before they are sent', (idleTimeoutS) => {
    expect(readConnectionForm(form({ idleTimeoutS })).faults).toEqual({ idleTimeoutMs: 'seconds' })
  })
  it('leaves out credentials that nobody typed', () => {
    expect(filledCredentials(form({ credentials: { apiKey: ' ', region: 'eu' } }))).toEqual({ region: 'eu' })
  })
})

describe('credentialProblems', () => {
  it.each([
    [newConnectionForm('openai'), { 'credentials.apiKey': 'missing' }],
    [form({ credentials: { apiKey: 'x' } }), {}],
    [{ ...newConnectionForm('azure'), credentials: { apiKey: 'x', resource: 'a b' } }, { 'credentials.resource': 'malformed' }],
    [newConnectionForm('openai-compatible'), { baseUrl: 'missing' }],
    [newConnectionForm('sandbox'), {}],
  ])('%#', (given, problems) => {
    expect(findCredentialProblems(given)).toEqual(problems)
  })
  it('begins with an address that is whole, and builds the others', () => {
    expect(newConnectionForm('ollama').baseUrl).toBe('http://localhost:11434/v1')
    expect(newConnectionForm('azure').baseUrl).toBe('')
  })
})

describe('readHeaders', () => {
  it.each([
    ['', {}],
    ['x-team: blue\n\nx-url: http://a:1/', { 'x-team': 'blue', 'x-url': 'http://a:1/' }],
    ['x-kept', { 'x-kept': null }],
    ['x-kept:', { 'x-kept': null }],
    ['two words', null],
  ])('%j', (text, headers) => {
    expect(readHeaders(text)).toEqual(headers)
  })
})
